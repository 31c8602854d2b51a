/**
 * Opening SQLite files, the same way everywhere.
 *
 * @module
 */
import { DatabaseSync } from 'node:sqlite'

/**
 * Opens a file in WAL mode, readable and writable by several processes.
 *
 * @param options.durable whether a commit waits for the disk: yes for what can't be made again
 * @param options.cacheMb pages of the file that are kept in memory at most, in MiB; default 2
 */
export function openDatabase(
  path: string,
  { durable, cacheMb = 2 }: { readonly durable: boolean; readonly cacheMb?: number },
): DatabaseSync {
  const db = new DatabaseSync(path)
  // Before the switch to WAL: processes that start together would fail with "database is locked" otherwise.
  db.exec('PRAGMA busy_timeout = 5000')
  db.exec('PRAGMA journal_mode = WAL')
  db.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`)
  db.exec('PRAGMA temp_store = MEMORY')
  db.exec(`PRAGMA cache_size = -${cacheMb * 1024}`)
  return db
}
