/**
 * Comparing two stores of the same port by what they answer.
 *
 * @module
 */
import { expect } from 'bun:test'
import fc from 'fast-check'

const RUNS = 60
const LONGEST = 40

/** A call of a store; `now` only grows from call to call, in milliseconds from some beginning. */
export type Call<Store> = (store: Store, now: number) => unknown

/** Calls that fast-check can name when it says which of them had different answers. */
export const called = <Store, T>(
  name: string,
  args: fc.Arbitrary<T>,
  call: (store: Store, args: T, now: number) => unknown,
): fc.Arbitrary<Call<Store>> =>
  args.map((given) =>
    Object.assign((store: Store, now: number) => call(store, given, now), {
      [fc.toStringMethod]: () => `${name} ${fc.stringify(given)}`,
    }),
  )

/**
 * Makes both stores anew for each list of calls, and holds them to the same answers, one call after the other.
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
    fc.asyncProperty(calls, async (made) => {
      const [one, other] = await open()
      expect(await answersOf(one, made)).toEqual(await answersOf(other, made))
    }),
    { numRuns: RUNS },
  )
}

/** What came of each call; of what was thrown its name and words. */
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
