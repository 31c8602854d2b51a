/**
 * The rests of exits in a SQLite file.
 *
 * @module
 */
import type { DatabaseSync } from 'node:sqlite'
import { orUnavailable } from '../../log/away.ts'
import { type ExitRests, KEPT_AFTER_MS, type Rest } from '../exit-rests.ts'

const SCHEMA = `
CREATE TABLE IF NOT EXISTS exit_rests (
  key TEXT PRIMARY KEY,
  until INTEGER NOT NULL,
  count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`

/** The rests in an open database, in a table of their own. */
export function sqliteExitRests(db: DatabaseSync): ExitRests {
  db.exec(SCHEMA)
  const get = db.prepare('SELECT until, count FROM exit_rests WHERE key = ?')
  const put = db.prepare('INSERT OR REPLACE INTO exit_rests (key, until, count) VALUES (?, ?, ?)')
  const expire = db.prepare('DELETE FROM exit_rests WHERE until <= ?')
  const clear = db.prepare('DELETE FROM exit_rests WHERE key = ?')
  const all = db.prepare('SELECT key, until, count FROM exit_rests WHERE until > ? ORDER BY key')
  const ask = async <T>(work: () => T): Promise<T> => orUnavailable("the file of exits' rests failed", work)
  return {
    get: (keys) => ask(() => keys.map((key) => restOf(get.get(key)))),
    put: (key, { until, count }, now) =>
      ask(() => {
        expire.run(now - KEPT_AFTER_MS)
        put.run(key, until, count)
      }),
    clear: (keys) =>
      ask(() => {
        for (const key of keys) clear.run(key)
      }),
    all: (now) => ask(() => all.all(now).map((row) => ({ key: String(row.key), rest: restOf(row)! }))),
  }
}

type Row = Readonly<Record<string, unknown>>

const restOf = (row: Row | undefined): Rest | undefined =>
  row && { until: Number(row.until), count: Number(row.count) }
