/**
 * The port of what may be lost: rate buckets and times of last use. It lives beside the read models and is no
 * function of the log.
 *
 * @module
 */
import type { AccountId, KeyId } from '../domain/ids.ts'

/** Calls are counted apart, so that polling never uses up kickoffs. */
export type RateClass = 'kickoff' | 'read' | 'admin'

/** What a token bucket says of one call. */
export type RateVerdict = {
  readonly allowed: boolean
  /** calls that could be made right now */
  readonly remaining: number
  /** seconds until the bucket is full again, or until the next call is allowed when this one was not; rounded up */
  readonly resetS: number
}

export interface Volatile {
  /**
   * Takes one token of an account's bucket, which holds `perMinute` tokens and fills evenly.
   * May answer at once: a local back end must not cost a turn of the event loop.
   */
  take(
    account: AccountId | 'operator',
    kind: RateClass,
    perMinute: number,
    now: number,
  ): RateVerdict | Promise<RateVerdict>
  /** Notes that a key was used. */
  used(key: KeyId, now: number): void
  /** When keys were last used, milliseconds since 1970. */
  lastUsed(keys: readonly KeyId[]): Promise<(number | undefined)[]>
  close(): Promise<void>
}
