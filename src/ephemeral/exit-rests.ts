/**
 * The port of the rests of exits: which exits are not used for a while, shared by all nodes. If it is lost, exits are
 * tried again sooner.
 *
 * @module
 */

/** A rest of an exit. */
export type Rest = {
  /** milliseconds since 1970: when it ends */
  readonly until: number
  /** which rest in a row it is, 1 for the first: each is longer than the one before */
  readonly count: number
}

/** How long a rest is kept after its end, for the length of the next one, in milliseconds. */
export const KEPT_AFTER_MS = 86_400_000

/** All methods throw {@link StoreUnavailable} when the store is unavailable. Times are milliseconds since 1970. */
export interface ExitRests {
  /** The rests under these keys, also those that are over; undefined where there is none. */
  get(keys: readonly string[]): Promise<readonly (Rest | undefined)[]>
  /** Stores a rest in place of an earlier one, and deletes those that ended {@link KEPT_AFTER_MS} before. */
  put(key: string, rest: Rest, now: number): Promise<void>
  /** Deletes the rests under these keys. */
  clear(keys: readonly string[]): Promise<void>
  /** The rests that are not over, in the order of their keys. */
  all(now: number): Promise<readonly { readonly key: string; readonly rest: Rest }[]>
}
