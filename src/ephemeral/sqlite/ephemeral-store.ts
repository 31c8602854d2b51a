/**
 * The embedded ephemeral store: rate limits in memory, times of last use in memory and every few seconds in a SQLite file.
 *
 * @module
 */
import type { DatabaseSync } from 'node:sqlite'
import { clearTimeout, setTimeout } from 'node:timers'
import type { AccountId, KeyId } from '../../domain/ids.ts'
import { openDatabase } from '../../sqlite/open.ts'
import type { EphemeralStore, RateClass, RateVerdict } from '../ephemeral-store.ts'
import { TokenBuckets } from '../token-buckets.ts'

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

export type SqliteEphemeralStoreOptions = {
  /** how long a time of last use stays in memory alone, in milliseconds; 3 seconds by default */
  readonly flushMs?: number
  /** told when the times could not be written; they are tried again. By default a warning of the process */
  readonly onError?: (error: unknown) => void
}

/**
 * Opens or creates the ephemeral store.
 *
 * @param path a file, or `:memory:`
 */
export function openSqliteEphemeralStore(
  path: string,
  options: SqliteEphemeralStoreOptions = {},
): EphemeralStore {
  const db = openDatabase(path, { durable: false })
  db.exec(SCHEMA)
  return new SqliteEphemeralStore(db, options)
}

class SqliteEphemeralStore implements EphemeralStore {
  readonly runSlots = undefined
  private readonly buckets: Record<RateClass, TokenBuckets> = {
    kickoff: new TokenBuckets(),
    read: new TokenBuckets(),
    admin: new TokenBuckets(),
  }
  private readonly note
  private readonly noted
  /** not in the file yet */
  private readonly unsaved = new Map<KeyId, number>()
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly db: DatabaseSync,
    private readonly options: SqliteEphemeralStoreOptions,
  ) {
    this.note = db.prepare(NOTE)
    this.noted = db.prepare('SELECT at FROM last_used WHERE key_id = ?')
  }

  take(account: AccountId | 'operator', kind: RateClass, perMinute: number, now: number): RateVerdict {
    return this.buckets[kind].take(account, perMinute, now)
  }

  used(key: KeyId, now: number): void {
    this.unsaved.set(key, Math.max(this.unsaved.get(key) ?? 0, Math.floor(now)))
    this.arm()
  }

  async lastUsed(keys: readonly KeyId[]): Promise<(number | undefined)[]> {
    return keys.map((key) => {
      const noted = this.noted.get(key) as { at: number } | undefined
      const unsaved = this.unsaved.get(key)
      return noted && unsaved !== undefined ? Math.max(noted.at, unsaved) : (unsaved ?? noted?.at)
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
    if (this.unsaved.size === 0) return
    this.db.exec('BEGIN IMMEDIATE')
    try {
      for (const [key, at] of this.unsaved) this.note.run(key, at)
      this.db.exec('COMMIT')
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK')
      throw error
    }
    this.unsaved.clear()
  }
}
