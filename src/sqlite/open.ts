/**
 * Opening SQLite files, the same way everywhere.
 *
 * @module
 */
import { DatabaseSync } from 'node:sqlite'

/**
 * Opens a file in WAL mode, readable and writable by several processes.
 *
 * @param durable whether a commit waits for the disk: yes for what can't be made again
 */
export function openDatabase(path: string, { durable }: { readonly durable: boolean }): DatabaseSync {
  const db = new DatabaseSync(path)
  // Before the switch to WAL: processes that start together would fail with "database is locked" otherwise.
  db.exec('PRAGMA busy_timeout = 5000')
  db.exec('PRAGMA journal_mode = WAL')
  db.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`)
  db.exec('PRAGMA temp_store = MEMORY')
  return db
}
