/**
 * The use of exits by day in a SQLite file.
 *
 * @module
 */
import type { DatabaseSync } from 'node:sqlite'
import { orUnavailable } from '../../log/away.ts'
import { type ExitDay, firstDayAt, type StoredExitDays } from '../exit-days.ts'

const SCHEMA = `
CREATE TABLE IF NOT EXISTS exit_days (
  day TEXT NOT NULL,
  label TEXT NOT NULL,
  source TEXT NOT NULL,
  runs INTEGER NOT NULL,
  blocked INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (day, label, source)
) STRICT, WITHOUT ROWID;
`
/** Takes counts as JSON. */
const ADD = `
INSERT INTO exit_days (day, label, source, runs, blocked, failed, requests, bytes)
SELECT value ->> 'day', value ->> 'label', value ->> 'source', value ->> 'runs', value ->> 'blocked',
  value ->> 'failed', value ->> 'requests', value ->> 'bytes' FROM json_each(?) WHERE true
ON CONFLICT (day, label, source) DO UPDATE SET
  runs = runs + excluded.runs,
  blocked = blocked + excluded.blocked,
  failed = failed + excluded.failed,
  requests = requests + excluded.requests,
  bytes = bytes + excluded.bytes`

/** The counts in an open database, in a table of their own. */
export function sqliteExitDays(db: DatabaseSync): StoredExitDays {
  db.exec(SCHEMA)
  const add = db.prepare(ADD)
  const expire = db.prepare('DELETE FROM exit_days WHERE day < ?')
  const of = db.prepare('SELECT * FROM exit_days WHERE day = ?')
  const ask = async <T>(work: () => T): Promise<T> =>
    orUnavailable('the file of the use of exits failed', work)
  return {
    add: (counts, now) =>
      ask(() => {
        expire.run(firstDayAt(now))
        add.run(JSON.stringify(counts))
      }),
    of: (day) => ask(() => of.all(day) as ExitDay[]),
  }
}
