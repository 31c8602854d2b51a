/**
 * Copies the artifacts that are files, by the databases of a backup.
 *
 * @module
 */
import { constants, existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { unlessMissing } from '../../artifacts/folder.ts'
import { parseRef } from '../../artifacts/refs.ts'
import { measure } from '../../artifacts/streams.ts'
import { type RunId, runStream } from '../../domain/ids.ts'

export type CopyArtifactsOptions = {
  /** the data folder */
  readonly from: string
  /** a folder with the copied databases */
  readonly to: string
  /** milliseconds since 1970 */
  readonly now: () => number
}

/** An artifact that the log refers to and that DATA_DIR does not have as it was stored. */
type Damaged = { readonly ref: string; readonly problem: string }
type Row = { readonly ref: string; readonly sha256: string; readonly expires_at: number }

const PAGE = 200

/**
 * Copies every file whose artifact has not expired, and compares the copy with its checksum.
 *
 * @returns how many files were copied, and the artifacts that were already damaged in the data folder
 */
export async function copyArtifacts({
  from,
  to,
  now,
}: CopyArtifactsOptions): Promise<{ readonly copied: number; readonly damaged: readonly Damaged[] }> {
  const database = ['log.db', 'artifacts.db'].map((name) => join(to, name)).find(existsSync)
  if (database === undefined) return { copied: 0, damaged: [] }
  const db = new DatabaseSync(database)
  const damaged: Damaged[] = []
  let copied = 0
  try {
    if (!hasTable(db, 'artifacts')) return { copied, damaged }
    const select = db.prepare(
      `SELECT ref, sha256, expires_at FROM artifacts
       WHERE body IS NULL AND ref > ? ORDER BY ref LIMIT ${PAGE}`,
    )
    for (let after = ''; ; ) {
      const rows = select.all(after) as Row[]
      for (const row of rows) {
        if (row.expires_at <= now()) continue
        const problem = await copyOne(row, from, to)
        if (problem === undefined) copied++
        // An artifact may expire, and be deleted, between the copy of the database and now.
        else if (row.expires_at > now() && isReferredTo(db, row.ref)) damaged.push({ ref: row.ref, problem })
      }
      after = rows.at(-1)?.ref ?? after
      if (rows.length < PAGE) return { copied, damaged }
    }
  } finally {
    db.close()
  }
}

/** @returns why the artifact could not be copied as it was stored, if so */
async function copyOne(row: Row, from: string, to: string): Promise<string | undefined> {
  const parsed = parseRef(row.ref)
  if (!parsed) return 'has an invalid name'
  const path = join('artifacts', parsed.run.slice(-2), parsed.run, parsed.file)
  const target = join(to, path)
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  const isThere = await unlessMissing(
    copyFile(join(from, path), target, constants.COPYFILE_FICLONE).then(() => true),
  )
  if (!isThere) return 'is missing'
  await chmod(target, 0o600)
  const file = await open(target, 'r')
  await file.sync()
  await file.close()
  return (await measure(target)).sha256 === row.sha256 ? undefined : 'has other content than was stored'
}

/** Whether an event names an artifact. The row of an artifact is written before its file, and its event after it. */
function isReferredTo(db: DatabaseSync, ref: string): boolean {
  const { run } = parseRef(ref) as { run: RunId }
  if (!hasTable(db, 'events')) return false
  return (
    db.prepare('SELECT 1 FROM events WHERE stream = ? AND instr(data, ?) > 0').get(runStream(run), ref) !==
    undefined
  )
}

const hasTable = (db: DatabaseSync, name: string): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined
