/**
 * The port of the ephemeral store: rate limits, slots of running runs, and times of last use. All of it may be lost, and
 * none of it follows from the log.
 *
 * @module
 */
import type { AccountId, RunId } from '../domain/ids.ts'

/** Calls are counted apart, so that polling never uses up kickoffs. */
export type RateClass = 'kickoff' | 'read' | 'admin'

/** What else is counted, by who does it: wrong tries to sign in, and sign-ups. */
export type TryClass = 'try' | 'sign-up'
/** In how many minutes a bucket fills: as many as it holds are allowed in that time. */
export const FILLS_IN_MIN: Readonly<Record<RateClass | TryClass, number>> = {
  kickoff: 1,
  read: 1,
  admin: 1,
  try: 1,
  'sign-up': 60,
}

/** What a token bucket says of one call. */
export type RateVerdict = {
  readonly allowed: boolean
  /** calls that could be made right now */
  readonly remaining: number
  /** seconds until the bucket is full again, or until the next call is allowed when this one was not; rounded up */
  readonly resetS: number
}

/**
 * A running run's slot: it counts against its account's limit, and keeps other workers from beginning the same run.
 * Both are courtesies that save lost races: the run's stream says who runs it.
 */
export type RunSlot = { readonly run: RunId; readonly account: AccountId; readonly holder: string }

/** `granted`; `taken`: another holder has this run; `full`: the account has no free slot. */
export type SlotAnswer = 'granted' | 'taken' | 'full'

/** Slots of running runs, shared by the workers of several processes. Times are in milliseconds since 1970. */
export interface RunSlots {
  /**
   * Acquires one of the account's slots for a run that is about to be claimed; the same holder is granted it again. May
   * answer at once.
   *
   * @param limit how many slots the account has; 0: any number
   * @param forMs how long it is kept unless it is renewed, in milliseconds
   */
  acquire(slot: RunSlot, limit: number, forMs: number, now: number): SlotAnswer | Promise<SlotAnswer>
  /** Renews slots, also those that were lost or have ended meanwhile; one that another holder has by now stays theirs. */
  renew(slots: readonly RunSlot[], forMs: number, now: number): void | Promise<void>
  /**
   * Releases a slot; that of another holder stays.
   *
   * @param endedForMs the run has ended: for so long it is `taken` for everybody, since others may hear of its end
   *   later than of its free slot; 0: it may be begun again
   */
  release(slot: RunSlot, endedForMs: number, now: number): void | Promise<void>
}

export interface EphemeralStore {
  /** undefined where one process has all workers: its queue holds the limits */
  readonly runSlots: RunSlots | undefined
  /**
   * Takes one token of a bucket, which holds `most` tokens and fills evenly in {@link FILLS_IN_MIN} minutes. May answer at
   * once: a local back end must not cost a turn of the event loop.
   *
   * @param name an account's id, or a name of any form for somebody who tries something
   */
  take(
    name: string,
    kind: RateClass | TryClass,
    most: number,
    now: number,
  ): RateVerdict | Promise<RateVerdict>
  /** In how many seconds {@link take} would allow the next; 0: at once. Counts nothing. */
  waitS(name: string, kind: TryClass, most: number, now: number): number | Promise<number>
  /** Notes that something was used: a key by its id, a login by a name of its own. Other processes know it seconds later. */
  used(name: string, now: number): void
  /** When they were last used, milliseconds since 1970. */
  lastUsed(names: readonly string[]): Promise<(number | undefined)[]>
  /** Forgets when they were used. */
  forget(names: readonly string[]): Promise<void>
  close(): Promise<void>
}
