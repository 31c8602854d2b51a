/**
 * Processing many items, a few at a time.
 *
 * @module
 */
import { nextTurn } from './delay.ts'

const AT_ONCE = 16

/**
 * Calls `act` for each item: the items of a batch run concurrently, and other work gets a turn after each batch. No
 * further batch starts once the signal aborts.
 *
 * @returns the outcomes, in the order of the items
 * @throws the first error of `act`; no further batch starts after it
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
