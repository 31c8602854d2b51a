/**
 * The vault of one machine: a separate SQLite file. Deleted or overwritten data leaves no bytes in the file
 * (`secure_delete`) or beside it: the rollback journal, unlike a write-ahead log, is removed after every write.
 *
 * @module
 */
import { DatabaseSync } from 'node:sqlite'
import { orUnavailable } from '../log/away.ts'
import { makePrivate } from '../sqlite/private-file.ts'
import { watchFiles } from '../sqlite/watched.ts'
import type { Listed, VaultObjects } from './objects.ts'

// The body comes last: reading a column behind a large value reads through that value.
const SCHEMA = `
CREATE TABLE IF NOT EXISTS objects (
  key TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;
`

/** How long a write waits for another process, in milliseconds. */
const BUSY_MS = 1500

export type SqliteVaultOptions = {
  /** the file; created if missing, readable by its owner only */
  readonly path: string
  /** milliseconds since 1970 */
  readonly now: () => number
}

/** Opens or creates the store. Several processes may use it. */
export function openSqliteVault({ path, now }: SqliteVaultOptions): VaultObjects {
  makePrivate(path)
  const db = new DatabaseSync(path)
  try {
    db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
    db.exec('PRAGMA journal_mode = DELETE')
    db.exec('PRAGMA synchronous = FULL')
    db.exec('PRAGMA secure_delete = ON')
    db.exec(SCHEMA)
    return objectsIn(db, now, watchFiles(path))
  } catch (error) {
    db.close()
    throw error
  }
}

/** @param checkFiles throws if the files were replaced since they were opened */
function objectsIn(db: DatabaseSync, now: () => number, checkFiles: () => void): VaultObjects {
  const insert = db.prepare('INSERT OR REPLACE INTO objects (key, at, body) VALUES (?, ?, ?)')
  const insertNew = db.prepare('INSERT OR IGNORE INTO objects (key, at, body) VALUES (?, ?, ?)')
  const update = db.prepare('UPDATE objects SET at = ?, body = ? WHERE key = ?')
  const select = db.prepare('SELECT body FROM objects WHERE key = ?')
  const remove = db.prepare('DELETE FROM objects WHERE key = ?')
  const all = db.prepare(
    'SELECT key, at FROM objects WHERE key >= ?1 AND key < ?1 || char(0x10ffff) ORDER BY key',
  )
  const attempt = <T>(work: () => T): T => orUnavailable("the vault's file failed", work)
  const write = <T>(statement: () => T): T =>
    attempt(() => {
      checkFiles()
      return statement()
    })
  return {
    async put(key, body) {
      write(() => insert.run(key, now(), body))
    },
    create: async (key, body) => write(() => insertNew.run(key, now(), body)).changes > 0,
    replace: async (key, body) => write(() => update.run(now(), body, key)).changes > 0,
    get: async (key) => attempt(() => (select.get(key) as { body: Uint8Array } | undefined)?.body),
    async delete(key) {
      write(() => remove.run(key))
    },
    list: async (prefix) => attempt(() => (all.all(prefix) as Listed[]).map(({ key, at }) => ({ key, at }))),
    async close() {
      db.close()
    },
  }
}
