/**
 * Opening SQLite files, the same way everywhere.
 *
 * @module
 */
import { DatabaseSync } from 'node:sqlite'

/** How long another connection is waited for, and between two tries to switch, in milliseconds. */
const BUSY_MS = 5000
const RETRY_MS = 10

/**
 * Opens a file in WAL mode, readable and writable by several processes.
 *
 * @param options.durable whether a commit waits for the disk: yes for what can't be made again; `deferred`: whoever commits
 *   sees to it, see {@link import('./commits.ts').Commits}
 * @param options.cacheMb pages of the file that are kept in memory at most, in MiB; default 2
 */
export function openDatabase(
  path: string,
  { durable, cacheMb = 2 }: { readonly durable: boolean | 'deferred'; readonly cacheMb?: number },
): DatabaseSync {
  const db = new DatabaseSync(path)
  // Before the switch to WAL: processes that start together would fail with "database is locked" otherwise.
  db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
  switchToWal(db)
  db.exec(`PRAGMA synchronous = ${durable === true ? 'FULL' : 'NORMAL'}`)
  db.exec('PRAGMA temp_store = MEMORY')
  db.exec(`PRAGMA cache_size = -${cacheMb * 1024}`)
  return db
}

/**
 * SQLite does not wait where two connections that switch a new file would wait for each other: one of them fails at once.
 * The other one is done in a moment.
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
