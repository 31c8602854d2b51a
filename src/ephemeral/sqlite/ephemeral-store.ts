/**
 * The embedded ephemeral store: rate limits in memory; times of last use and the use of exits in memory, written to a
 * SQLite file every few seconds; rests of exits in that file.
 *
 * @module
 */
import { orUnavailable } from '../../log/away.ts'
import { mustBeWhole, openDatabase } from '../../sqlite/open.ts'
import { type EphemeralStore, FILLS_IN_MIN, type RateClass, type TryClass } from '../ephemeral-store.ts'
import { exitDaysOn } from '../exit-days.ts'
import { timesOfLastUse } from '../last-used.ts'
import { TokenBuckets } from '../token-buckets.ts'
import type { WriteBehindOptions } from '../write-behind.ts'
import { sqliteExitDays } from './exit-days.ts'
import { sqliteExitRests } from './exit-rests.ts'

const SCHEMA = `
CREATE TABLE IF NOT EXISTS last_used (
  key_id TEXT PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`
/** Takes times as JSON. Several processes may write the same key. */
const NOTE = `
INSERT INTO last_used (key_id, at) SELECT value ->> 0, value ->> 1 FROM json_each(?) WHERE true
ON CONFLICT (key_id) DO UPDATE SET at = max(at, excluded.at)`

/**
 * Opens or creates the ephemeral store.
 *
 * @param path a file, or `:memory:`
 */
export function openSqliteEphemeralStore(path: string, options: WriteBehindOptions = {}): EphemeralStore {
  const db = openDatabase(path)
  try {
    mustBeWhole(db)
    db.exec(SCHEMA)
  } catch (error) {
    db.close()
    throw error
  }
  const exitRests = sqliteExitRests(db)
  const exitDays = exitDaysOn(sqliteExitDays(db), options)
  const note = db.prepare(NOTE)
  const noted = db.prepare('SELECT at FROM last_used WHERE key_id = ?')
  const forget = db.prepare('DELETE FROM last_used WHERE key_id = ?')
  const ask = <T>(work: () => T): T => orUnavailable('the file of times of last use failed', work)
  const times = timesOfLastUse(
    {
      async write(times) {
        note.run(JSON.stringify(times))
      },
      read: async (names) =>
        ask(() => names.map((name) => (noted.get(name) as { at: number } | undefined)?.at)),
      remove: async (names) =>
        ask(() => {
          for (const name of names) forget.run(name)
        }),
    },
    options,
  )
  const kinds = Object.entries(FILLS_IN_MIN).map(([kind, minutes]) => [kind, new TokenBuckets(minutes)])
  const buckets: Record<RateClass | TryClass, TokenBuckets> = Object.fromEntries(kinds)
  return {
    runSlots: undefined,
    exitRests,
    exitDays,
    pace: undefined,
    take: (name, kind, most, now) => buckets[kind].take(name, most, now),
    waitS: (name, kind, most, now) => buckets[kind].waitS(name, most, now),
    ...times,
    async close() {
      await times.close()
      await exitDays.close()
      db.close()
    },
  }
}
