/**
 * The uses of exits by runs, images and sign-ins, for the operator: counted by day, and in the metrics.
 *
 * @module
 */
import { DIRECT } from '../../config/ways.ts'
import type { ExitDays } from '../../ephemeral/exit-days.ts'
import type { Usage } from '../transport/usage.ts'
import { type Exit, labelOf } from './choose.ts'
import type { ExitOutcome } from './exits.ts'
import { FAILURES } from './rest.ts'

/** What one execution of a run used of its exit, or an image that the console showed, or a sign-in. */
export type ExitUse = Readonly<Usage> & {
  /** `direct`: it has no exit */
  readonly way: string
  /** the exit's place in its way, from 1; 0 if it has none */
  readonly exit: number
  readonly source: string
  /** `other`: how the run ended says nothing about the exit; `image`, `sign-in`: it was no run */
  readonly outcome: ExitOutcome | 'other' | 'image' | 'sign-in'
}

/** Where something was sent. @param exit null: directly */
export const placeOf = (exit: Pick<Exit, 'way' | 'number'> | null): Pick<ExitUse, 'way' | 'exit'> => ({
  way: exit?.way ?? DIRECT,
  exit: exit?.number ?? 0,
})

type Counters = {
  /** Adds to a counter. */
  count(
    name: 'gleaner_exit_requests_total' | 'gleaner_exit_bytes_total',
    labels: Readonly<Record<string, string | number>>,
    by: number,
  ): void
}

/** Creates the function that takes note of a use. It never throws. */
export function usesOfExits(deps: {
  readonly exitDays: Pick<ExitDays, 'count'>
  /** milliseconds since 1970 */
  readonly now: () => number
  readonly metrics: Counters
}): (use: ExitUse) => void {
  const { exitDays, now, metrics } = deps
  return (use) => {
    const { way, exit, source, outcome, requests, bytes } = use
    const counts = {
      runs: outcome === 'image' || outcome === 'sign-in' ? 0 : 1,
      blocked: outcome === 'blocked' ? 1 : 0,
      failed: outcome === 'unreachable' || outcome === 'refused' ? 1 : 0,
      requests,
      bytes,
    }
    exitDays.count(exit === 0 ? DIRECT : labelOf(way, exit), source, counts, now())
    countUse(metrics, use)
  }
}

function countUse(metrics: Counters, { way, exit, source, outcome, requests, bytes }: ExitUse): void {
  const count = (name: ExitUse['outcome'], by: number) =>
    metrics.count('gleaner_exit_requests_total', { way, exit, source, outcome: name }, by)
  // These have a series from the start, so that their first increase is seen.
  for (const failure of FAILURES) count(failure, 0)
  // The last request of a run is the one that failed. Those before it were good if the source then blocked it; an exit that
  // failed may not have served them.
  const isFailure = FAILURES.some((failure) => failure === outcome)
  if (isFailure && requests > 1) count(outcome === 'blocked' ? 'good' : 'other', requests - 1)
  count(outcome, isFailure ? 1 : Math.max(1, requests))
  metrics.count('gleaner_exit_bytes_total', { way, exit }, bytes)
}
