/**
 * How long an exit rests after a failure.
 *
 * @module
 */
import type { Rest } from '../../ephemeral/exit-rests.ts'
import type { ExitFailed } from '../transport/transport.ts'

/**
 * `blocked`: a source refuses the exit; `refused`: the proxy refuses this one source, or can't reach it; `unreachable`:
 * the proxy itself can't be reached, or fails.
 */
export const FAILURES = ['blocked', 'refused', 'unreachable'] as const
export type Failure = (typeof FAILURES)[number]

const MINUTE_MS = 60_000
/** The first rest, and the longest one: each is twice as long as the one before. */
const LENGTHS: Readonly<Record<Failure, { readonly first: number; readonly most: number }>> = {
  blocked: { first: 10 * MINUTE_MS, most: 360 * MINUTE_MS },
  refused: { first: MINUTE_MS, most: 60 * MINUTE_MS },
  unreachable: { first: MINUTE_MS, most: 60 * MINUTE_MS },
}

/** The failure of an exit that failed before it reached the source. */
export const failureFrom = (where: ExitFailed['where']): Failure =>
  where === 'everywhere' ? 'unreachable' : 'refused'

/**
 * The rest after a failure.
 *
 * @param before the last rest, if no success came after it. One that is not over stays as it is: runs that used the exit
 *   at the same time fail together, and count once
 */
export function restAfter(kind: Failure, before: Rest | undefined, now: number): Rest {
  if (before && before.until > now) return before
  const { first, most } = LENGTHS[kind]
  const count = (before?.count ?? 0) + 1
  return { until: now + Math.min(most, first * 2 ** (count - 1)), count }
}
