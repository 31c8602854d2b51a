/**
 * Events that were folded since the last commit.
 *
 * @module
 */
import type { Recorded } from '../log/event-log.ts'

export type Pending = {
  readonly count: number
  readonly last: Recorded | undefined
  /** RFC 3339: when the oldest of them was decided */
  readonly oldest: string | undefined
  /** when their position must be stored though they changed nothing, in milliseconds of `performance.now()` */
  readonly until: number | undefined
}

/** Events that change no row may wait so long for their position to be stored, in milliseconds. */
const POSITION_MS = 250

export const nothing = (): Pending => ({ count: 0, last: undefined, oldest: undefined, until: undefined })

export function add(pending: Pending, events: readonly Recorded[]): Pending {
  const last = events.at(-1)
  if (!last) return pending
  return {
    count: pending.count + events.length,
    last,
    oldest: pending.oldest ?? events[0]?.meta.at,
    until: pending.until ?? performance.now() + POSITION_MS,
  }
}
