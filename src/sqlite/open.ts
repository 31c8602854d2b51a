/**
 * Opens SQLite files, with the same settings everywhere.
 *
 * @module
 */
import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { makePrivate } from './private-file.ts'

/** How long to wait for another connection, and between two attempts to switch to WAL, in milliseconds. */
const BUSY_MS = 5000
const RETRY_MS = 10

/** Opens a file as it is. The connection waits for others that lock the file. */
export function connect(path: string, { readOnly = false } = {}): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly })
  db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
  return db
}

/**
 * Opens a file in WAL mode, which several processes of its owner may read and write, and nobody else. A commit does not
 * wait for the disk: what can't be rebuilt is written through {@link import('./commits.ts').Commits}, which sync the file.
 *
 * @param cacheMb size of the page cache, in MiB
 */
export function openDatabase(path: string, cacheMb = 2): DatabaseSync {
  makePrivate(path)
  // It waits for other connections before the switch to WAL: otherwise processes that start together would fail with
  // "database is locked".
  const db = connect(path)
  switchToWal(db)
  db.exec('PRAGMA synchronous = NORMAL')
  db.exec('PRAGMA temp_store = MEMORY')
  db.exec(`PRAGMA cache_size = -${cacheMb * 1024}`)
  return db
}

/** Reads a small file: a damaged page would otherwise fail only the calls that need it. @throws when it is corrupt */
export function mustBeWhole(db: DatabaseSync): void {
  const { quick_check: verdict } = db.prepare('PRAGMA quick_check(1)').get() as { quick_check: string }
  if (verdict !== 'ok') throw new Error(`the file is malformed: ${verdict}`)
}

/** Reads a whole file, its indexes included. @returns the first damage that SQLite finds; undefined if there is none */
export function damageOf(db: DatabaseSync): string | undefined {
  try {
    const { integrity_check: verdict } = db.prepare('PRAGMA integrity_check(1)').get() as {
      integrity_check: string
    }
    return verdict === 'ok' ? undefined : verdict.replaceAll('\n', ' ')
  } catch (error) {
    if (isDamaged(error)) return (error as Error).message
    throw error
  }
}

/** Whether a file is damaged. Matches SQLite's messages, since the runtimes have different codes. */
export const isDamaged = (error: unknown): boolean =>
  error instanceof Error && /not a database|malformed/.test(error.message)

/** Deletes a file that no connection has open. */
export function deleteDatabase(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true })
}

/**
 * Switches a file to WAL mode. When two connections switch a new file, SQLite avoids a deadlock by failing one of them
 * at once. The other finishes soon, so this one tries again.
 */
function switchToWal(db: DatabaseSync): void {
  const clock = new Int32Array(new SharedArrayBuffer(4))
  for (let waited = 0; ; waited += RETRY_MS) {
    try {
      db.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!/database is locked/.test(String(error)) || waited >= BUSY_MS) throw error
      Atomics.wait(clock, 0, 0, RETRY_MS)
    }
  }
}
