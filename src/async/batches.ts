/**
 * Work on many things, a few at a time.
 *
 * @module
 */
import { nextTurn } from './delay.ts'

const AT_ONCE = 16

/**
 * Does the same for each thing, some side by side, with a turn for other work after each batch. Once the signal aborts
 * no further batch begins.
 *
 * @returns the outcomes, in the order of the things
 * @throws what one of them threw; no further batch begins after it
 */
export async function inBatches<T, R>(
  things: readonly T[],
  act: (thing: T) => Promise<R>,
  signal?: AbortSignal,
): Promise<R[]> {
  const outcomes: R[] = []
  for (let from = 0; from < things.length && !signal?.aborted; from += AT_ONCE) {
    outcomes.push(...(await Promise.all(things.slice(from, from + AT_ONCE).map(act))))
    await nextTurn()
  }
  return outcomes
}
