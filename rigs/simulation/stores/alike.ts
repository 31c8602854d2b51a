/**
 * Compares two stores of the same port by their answers.
 *
 * @module
 */
import { expect } from 'bun:test'
import fc from 'fast-check'

const RUNS = 60
const LONGEST = 40

/** A call of a store; `now` never decreases from call to call, in milliseconds from an arbitrary start. */
export type Call<Store> = (store: Store, now: number) => unknown

/** Calls with names, for fast-check to report the calls with different answers. */
export const namedCall = <Store, T>(
  name: string,
  args: fc.Arbitrary<T>,
  call: (store: Store, args: T, now: number) => unknown,
): fc.Arbitrary<Call<Store>> =>
  args.map((value) =>
    Object.assign((store: Store, now: number) => call(store, value, now), {
      [fc.toStringMethod]: () => `${name} ${fc.stringify(value)}`,
    }),
  )

/**
 * Creates both stores for each list of calls and expects the same answer from both for every call.
 *
 * @param open both, empty
 */
export async function alike<Store>(
  call: fc.Arbitrary<Call<Store>>,
  open: () => Promise<readonly [Store, Store]>,
): Promise<void> {
  const calls = fc.array(fc.tuple(call, fc.constantFrom(0, 0, 1, 400, 1000)), {
    maxLength: LONGEST,
    size: 'max',
  })
  await fc.assert(
    fc.asyncProperty(calls, async (list) => {
      const [one, other] = await open()
      expect(await answersOf(one, list)).toEqual(await answersOf(other, list))
    }),
    { numRuns: RUNS },
  )
}

/** The answer to each call, or the name and message of its error. */
async function answersOf<Store>(store: Store, calls: readonly (readonly [Call<Store>, number])[]) {
  const answers: unknown[] = []
  let now = 0
  for (const [call, ms] of calls) {
    now += ms
    try {
      const answer = await call(store, now)
      answers.push(answer instanceof Set ? [...answer].sort() : answer)
    } catch (error) {
      answers.push(String(error))
    }
  }
  return answers
}
