/**
 * A run that went wrong, with as few faults as still make it go wrong.
 *
 * @module
 */
import type { Fault } from './faults.ts'
import { type Outcome, simulate } from './schedule.ts'

/** Leaves out one fault after the other, as long as something is still wrong. */
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
