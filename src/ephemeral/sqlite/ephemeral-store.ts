/**
 * What may be lost, embedded: rate buckets and places in memory, times of last use in memory and every few seconds in a
 * SQLite file.
 *
 * @module
 */
import type { DatabaseSync } from 'node:sqlite'
import { clearTimeout, setTimeout } from 'node:timers'
import type { AccountId, KeyId } from '../../domain/ids.ts'
import { openDatabase } from '../../sqlite/open.ts'
import type { HeldPlace, Place, RateClass, RateVerdict, Volatile } from '../ephemeral-store.ts'
import { Buckets } from '../token-buckets.ts'
import { Places } from './run-slots.ts'

const SCHEMA = `
CREATE TABLE IF NOT EXISTS last_used (
  key_id TEXT PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`
/** Several processes may note the same key: the latest time stands. */
const NOTE = `
INSERT INTO last_used (key_id, at) VALUES (?, ?)
ON CONFLICT (key_id) DO UPDATE SET at = max(at, excluded.at)`

export type SqliteVolatileOptions = {
  /** how long a time of last use stays in memory alone, in milliseconds; 3 seconds by default */
  readonly flushMs?: number
  /** told when the times could not be written; they are tried again. By default a warning of the process */
  readonly onError?: (error: unknown) => void
}

/**
 * Opens or creates what may be lost.
 *
 * @param path a file, or `:memory:`
 */
export function openSqliteVolatile(path: string, options: SqliteVolatileOptions = {}): Volatile {
  const db = openDatabase(path, { durable: false })
  db.exec(SCHEMA)
  return new SqliteVolatile(db, options)
}

class SqliteVolatile implements Volatile {
  private readonly buckets: Record<RateClass, Buckets> = {
    kickoff: new Buckets(),
    read: new Buckets(),
    admin: new Buckets(),
  }
  private readonly places = new Places()
  private readonly note
  private readonly noted
  /** not in the file yet */
  private readonly fresh = new Map<KeyId, number>()
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly db: DatabaseSync,
    private readonly options: SqliteVolatileOptions,
  ) {
    this.note = db.prepare(NOTE)
    this.noted = db.prepare('SELECT at FROM last_used WHERE key_id = ?')
  }

  take(account: AccountId | 'operator', kind: RateClass, perMinute: number, now: number): RateVerdict {
    return this.buckets[kind].take(account, perMinute, now)
  }

  occupy(place: HeldPlace, limit: number, forMs: number, now: number): Place {
    return this.places.occupy(place, limit, forMs, now)
  }

  keep(places: readonly HeldPlace[], forMs: number, now: number): void {
    this.places.keep(places, forMs, now)
  }

  vacate(place: HeldPlace, endedForMs: number, now: number): void {
    this.places.vacate(place, endedForMs, now)
  }

  used(key: KeyId, now: number): void {
    this.fresh.set(key, Math.max(this.fresh.get(key) ?? 0, Math.floor(now)))
    this.arm()
  }

  async lastUsed(keys: readonly KeyId[]): Promise<(number | undefined)[]> {
    return keys.map((key) => {
      const noted = this.noted.get(key) as { at: number } | undefined
      const fresh = this.fresh.get(key)
      return noted && fresh !== undefined ? Math.max(noted.at, fresh) : (fresh ?? noted?.at)
    })
  }

  async close(): Promise<void> {
    clearTimeout(this.timer)
    try {
      this.flush()
    } finally {
      this.db.close()
    }
  }

  private arm(): void {
    if (this.timer !== undefined) return
    this.timer = setTimeout(() => {
      this.timer = undefined
      try {
        this.flush()
      } catch (error) {
        this.report(error)
        this.arm()
      }
    }, this.options.flushMs ?? 3000)
    // A process that has nothing else to do may end: it closes what it opened before.
    this.timer.unref()
  }

  private report(error: unknown): void {
    if (this.options.onError) this.options.onError(error)
    else process.emitWarning(`times of last use could not be written: ${error}`)
  }

  private flush(): void {
    if (this.fresh.size === 0) return
    this.db.exec('BEGIN IMMEDIATE')
    try {
      for (const [key, at] of this.fresh) this.note.run(key, at)
      this.db.exec('COMMIT')
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK')
      throw error
    }
    this.fresh.clear()
  }
}
