/**
 * The artifact store of one machine: small values in a SQLite file, larger ones and files in a folder. Every artifact
 * has a row with its expiry. With the embedded log, the SQLite file is the log's file, and both share commits. With
 * another log it is a separate file.
 *
 * A larger value first gets its row; then its file is written under a temporary name, synced and renamed. A crash in
 * between leaves a row without a file. Nothing refers to it, and it is deleted when it expires.
 *
 * @module
 */
import { hash } from 'node:crypto'
import type { RunId } from '../domain/ids.ts'
import { orUnavailable } from '../log/away.ts'
import { StoreUnavailable } from '../log/event-log.ts'
import type { SqliteLog } from '../log/sqlite/log.ts'
import { Commits } from '../sqlite/commits.ts'
import { openDatabase } from '../sqlite/open.ts'
import type { Artifacts, ByteRange, Opened, Stored, Storing } from './artifacts.ts'
import { Folder } from './folder.ts'
import { parseRef, storedAs } from './refs.ts'
import { bytesStream, measure } from './streams.ts'

const SCHEMA = `
CREATE TABLE IF NOT EXISTS artifacts (
  ref TEXT PRIMARY KEY,
  body BLOB,
  bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS artifacts_by_expiry ON artifacts (expires_at);
`
/** The largest value that is stored in the table. Above it, a file costs less than the pages of a row. */
const SMALL_BYTES = 64 * 1024
/** The most artifacts that one sweep deletes. */
const SWEEP_ROWS = 200

/** `body` is null if the artifact is in the folder. */
type ArtifactRow = { readonly body: Uint8Array | null; readonly bytes: number }

export type SqliteArtifactsOptions = {
  /** the embedded log, whose file and commits are shared */
  readonly log: Pick<SqliteLog, 'db' | 'commits'>
  /** for artifacts that are too large for the table; created if missing */
  readonly folder: string
  /** milliseconds since 1970 */
  readonly now: () => number
}

/** Opens or creates the store. Close it before the log. */
export function openSqliteArtifacts({ log, folder, now }: SqliteArtifactsOptions): Artifacts {
  log.db.exec(SCHEMA)
  return new SqliteArtifacts(log, new Folder(folder), now)
}

export type FolderArtifactsOptions = Omit<SqliteArtifactsOptions, 'log'> & {
  /** the SQLite file; created if missing */
  readonly path: string
}

/** Opens or creates the store with a separate file, for a log that is elsewhere. Several processes may use it. */
export function openFolderArtifacts({ path, folder, now }: FolderArtifactsOptions): Artifacts {
  const db = openDatabase(path)
  db.exec(SCHEMA)
  const commits = new Commits(db, path, {
    unavailable: (cause) => new StoreUnavailable('an artifact could not be written', { cause }),
  })
  return new SqliteArtifacts({ db, commits }, new Folder(folder), now, async () => {
    await commits.close()
    db.close()
  })
}

class SqliteArtifacts implements Artifacts {
  private readonly upsert
  private readonly drop
  private readonly dropExpired
  private readonly select
  private readonly expired

  constructor(
    private readonly log: SqliteArtifactsOptions['log'],
    private readonly folder: Folder,
    private readonly now: () => number,
    /** closes the file if it is not the log's */
    private readonly closeFile?: () => Promise<void>,
  ) {
    const { db } = log
    this.upsert = db.prepare(
      `INSERT INTO artifacts (ref, body, bytes, sha256, expires_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (ref) DO UPDATE SET expires_at = max(expires_at, excluded.expires_at)`,
    )
    this.drop = db.prepare('DELETE FROM artifacts WHERE ref = ?')
    this.dropExpired = db.prepare('DELETE FROM artifacts WHERE ref = ? AND expires_at <= ?')
    this.select = db.prepare('SELECT body, bytes FROM artifacts WHERE ref = ? AND expires_at > ?')
    this.expired = db.prepare(
      `SELECT ref, body IS NULL AS in_folder FROM artifacts
       WHERE expires_at <= ? ORDER BY expires_at LIMIT ${SWEEP_ROWS}`,
    )
  }

  put(run: RunId, name: string, body: Uint8Array | string, expiresAt: number): Storing {
    const content = typeof body === 'string' ? Buffer.from(body) : body
    const stored = storedAs(run, name, content.byteLength, hash('sha256', body))
    if (stored.bytes <= SMALL_BYTES) return { ...stored, done: this.index(stored, content, expiresAt) }
    const done = this.index(stored, null, expiresAt).then(() => this.folder.write(stored.ref, content))
    return { ...stored, done }
  }

  async putFile(run: RunId, name: string, path: string, expiresAt: number): Promise<Stored> {
    const { bytes, sha256 } = await measure(path)
    const stored = storedAs(run, name, bytes, sha256)
    await this.index(stored, null, expiresAt)
    await this.folder.moveIn(stored.ref, path)
    return stored
  }

  async get(ref: string): Promise<Uint8Array | undefined> {
    const row = this.find(ref)
    if (!row) return undefined
    return row.body ?? (await this.folder.read(ref))
  }

  async open(ref: string, range?: ByteRange): Promise<Opened | undefined> {
    const row = this.find(ref)
    if (!row) return undefined
    const start = Math.min(range?.start ?? 0, row.bytes)
    const end = Math.max(start, Math.min((range?.end ?? row.bytes) + 1, row.bytes))
    const bytes = end - start
    if (row.body) return { bytes, body: bytesStream(row.body.subarray(start, end)) }
    const body = await this.folder.stream(ref, start, end)
    return body && { bytes, body }
  }

  async remove(ref: string): Promise<void> {
    const row = this.find(ref)
    if (!row) return
    // The file before its row, as in a sweep.
    if (!row.body) await this.folder.remove(ref)
    await this.log.commits.write(() => this.drop.run(ref))
  }

  async sweep(now: number): Promise<number> {
    const rows = this.expired.all(now) as { ref: string; in_folder: number }[]
    if (rows.length === 0) return this.folder.sweepUnfinished(now)
    // The file before its row: a crash in between leaves a row, which the next sweep handles again.
    for (const { ref, in_folder } of rows) if (in_folder) await this.folder.remove(ref)
    await this.log.commits.write(() => {
      for (const { ref } of rows) this.dropExpired.run(ref, now)
    })
    return rows.length
  }

  async close(): Promise<void> {
    await this.closeFile?.()
  }

  private find(ref: string): ArtifactRow | undefined {
    if (!parseRef(ref)) return undefined
    return orUnavailable(
      'an artifact could not be read',
      () => this.select.get(ref, this.now()) as ArtifactRow | undefined,
    )
  }

  /** Not async: an append finds the commit by the identity of this promise. */
  private index(
    { ref, bytes, sha256 }: Stored,
    body: Uint8Array | null,
    expiresAt: number,
  ): Promise<unknown> {
    return this.log.commits.write(() => this.upsert.run(ref, body, bytes, sha256, expiresAt))
  }
}
