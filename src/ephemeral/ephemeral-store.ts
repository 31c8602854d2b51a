/**
 * The port of the ephemeral store: rate limits, slots of running runs, times of last use, the rests and the use of exits,
 * and the pace of sources. This data is not derived from the log, and may be lost.
 *
 * @module
 */
import type { AccountId, RunId } from '../domain/ids.ts'
import type { ExitDays } from './exit-days.ts'
import type { ExitRests } from './exit-rests.ts'
import type { SharedPace } from './shared-pace.ts'

/** Classes of calls with separate limits, so that polling never uses up kickoffs. */
export type RateClass = 'kickoff' | 'read' | 'admin'

/** Other limited actions: failed attempts to sign in, sign-ups, and mails about the health of tasks. */
export type TryClass = 'try' | 'sign-up' | 'health-mail'
/** In how many minutes an empty bucket fills. */
export const FILLS_IN_MIN: Readonly<Record<RateClass | TryClass, number>> = {
  kickoff: 1,
  read: 1,
  admin: 1,
  try: 1,
  'sign-up': 60,
  'health-mail': 20,
}

/** The verdict of a token bucket on one call. */
export type RateVerdict = {
  readonly allowed: boolean
  /** calls that could be made right now */
  readonly remaining: number
  /** seconds until the bucket is full again, or until the next call is allowed when this one was not; rounded up */
  readonly resetS: number
}

/**
 * The slot of a running run. It counts against the account's limit, and keeps other workers from starting the run.
 * Slots are only advisory and avoid lost races: the run's stream decides which worker runs it.
 */
export type RunSlot = { readonly run: RunId; readonly account: AccountId; readonly holder: string }

/** `taken`: another holder has this run, or it has ended; `full`: the account has no free slot. */
export type SlotAnswer = 'granted' | 'taken' | 'full'

/** Slots of running runs, shared by the workers of several processes. Times are in milliseconds since 1970. */
export interface RunSlots {
  /**
   * Acquires one of the account's slots for a run that is about to be claimed. The same holder may acquire it again.
   * May return synchronously.
   *
   * @param limit how many slots the account has; 0 for no limit
   * @param forMs TTL of the slot unless it is renewed, in milliseconds
   */
  acquire(slot: RunSlot, limit: number, forMs: number, now: number): SlotAnswer | Promise<SlotAnswer>
  /** Renews slots. Recreates lost and expired ones, but leaves a slot that another holder has by now. */
  renew(slots: readonly RunSlot[], forMs: number, now: number): void | Promise<void>
  /**
   * Releases a slot, unless another holder has it.
   *
   * @param endedForMs how long the ended run is `taken` for everybody, since other workers may learn of its end later
   *   than of the free slot; 0 if the run may be started again
   */
  release(slot: RunSlot, endedForMs: number, now: number): void | Promise<void>
}

export interface EphemeralStore {
  /** undefined if one process has all workers: its queue then enforces the limits */
  readonly runSlots: RunSlots | undefined
  readonly exitRests: ExitRests
  readonly exitDays: ExitDays
  /** undefined if one process has all workers: it keeps the pace of sources alone */
  readonly pace: SharedPace | undefined
  /**
   * Takes one token of a bucket, which holds `most` tokens and fills evenly in {@link FILLS_IN_MIN} minutes. May return
   * synchronously: a local back end must not cost a turn of the event loop.
   *
   * @param name an account's id, or any name for the originator of a {@link TryClass}
   */
  take(
    name: string,
    kind: RateClass | TryClass,
    most: number,
    now: number,
  ): RateVerdict | Promise<RateVerdict>
  /** In how many seconds {@link take} would allow the next call; 0 if at once. Takes no token. */
  waitS(name: string, kind: TryClass, most: number, now: number): number | Promise<number>
  /** Records the use of a key, by its id, or of a login, by a name. Other processes see it seconds later. */
  used(name: string, now: number): void
  /** The times of last use, milliseconds since 1970. */
  lastUsed(names: readonly string[]): Promise<(number | undefined)[]>
  /** Deletes the times of these names. */
  forget(names: readonly string[]): Promise<void>
  close(): Promise<void>
}
