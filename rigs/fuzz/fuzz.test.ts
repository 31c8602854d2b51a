/**
 * Mutated input on every surface, with the same cases each time. `npm run fuzz -- --cases 1000000` tries more.
 */
import { describe, expect, test } from 'bun:test'
import { jsonMutated, textMutated } from './mutate.ts'
import { Random } from './random.ts'
import { fuzz, repeatOf, type Surface } from './surface.ts'
import { SURFACES } from './surfaces.ts'

const CASES = 20_000
const SEED = 1

describe('no mutated input breaks a guarantee', () => {
  test.each(SURFACES.map((surface) => [surface.name, surface] as const))('%s', async (_, surface) => {
    const { failures, outcomes, tried } = await fuzz(surface, SEED, 0, Math.ceil(CASES * surface.share))
    expect(failures).toEqual([])
    expect(tried).toBe(Math.ceil(CASES * surface.share))
    // Cases that are all refused early would prove nothing.
    expect([...outcomes.keys()]).toEqual(expect.arrayContaining([...surface.reaches]))
  })

  test('the shares of all surfaces add up to 1', () => {
    expect(SURFACES.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1)
  })
})

describe('a failing case', () => {
  const broken = (name: string): Surface => ({
    name,
    share: 1,
    reaches: [],
    open: async () => ({
      one(random) {
        const number = random.below(1000)
        if (number === 7) throw new Error('seven')
        return 'fine'
      },
    }),
  })

  test('is reported once, with the command that repeats it', async () => {
    const { failures } = await fuzz(broken('sevens'), 3, 0, 20_000)
    expect(failures).toHaveLength(1)
    const [, index] = /--only sevens --seed 3 --case (\d+)$/.exec(failures[0] ?? '') ?? []
    expect(failures[0]).toContain(repeatOf('sevens', 3, Number(index)))
    const again = await fuzz(broken('sevens'), 3, Number(index), 1)
    expect([again.tried, again.failures.length]).toEqual([1, 1])
  })
})

test('the same seed, surface and case give the same mutations', () => {
  const mutationsOf = (seed: number) => {
    const random = Random.of(seed, 'x', 5)
    return [jsonMutated(random, { a: [1, 'b', { c: null }] }), textMutated(random, '<p class="x">1</p>')]
  }
  expect(mutationsOf(1)).toEqual(mutationsOf(1))
  expect(mutationsOf(1)).not.toEqual(mutationsOf(2))
})
