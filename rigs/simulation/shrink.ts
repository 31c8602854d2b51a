/**
 * Reduces the faults of a failed run to the fewest with which it still fails.
 *
 * @module
 */
import type { Fault } from './faults.ts'
import { type Outcome, simulate } from './schedule.ts'

/** Leaves out one fault after the other, as long as the run still fails. */
export async function shrink(outcome: Outcome): Promise<Outcome> {
  let smallest = outcome
  for (let i = 0; i < smallest.faults.length; ) {
    const faults: readonly Fault[] = smallest.faults.toSpliced(i, 1)
    const tried = await simulate(outcome.seed, { faults })
    if (tried.wrong.length > 0) smallest = tried
    else i++
  }
  return smallest
}
