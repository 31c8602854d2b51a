/** How unlikely it is that a loss of values is chance. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { evidenceOf } from '../../../src/domain/health/evidence.ts'
import { pack, shareAt, unpack } from '../../../src/domain/health/shares.ts'

const share = fc.double({ min: 0, max: 1, noNaN: true })
const variance = fc.double({ min: 0.01, max: 0.25, noNaN: true })

test('all-or-none shares of half of the inputs are all missing by chance once in 2 to the number of inputs', () => {
  expect(evidenceOf({ mean: 0.5, variance: 0.25 }, 20, 0)).toBeCloseTo(20 * Math.log(2), 9)
})

test('nothing lost is no evidence; more inputs and a greater loss are more; it is always a number from 0', () => {
  fc.assert(
    fc.property(share, share, variance, fc.integer({ min: 0, max: 20 }), (mean, now, spread, count) => {
      const usual = { mean, variance: spread }
      const evidence = evidenceOf(usual, count, now)
      expect(evidence).toBeGreaterThanOrEqual(0)
      if (now >= mean) expect(evidence).toBe(0)
      expect(evidenceOf(usual, count + 1, now)).toBeGreaterThanOrEqual(evidence - 1e-9)
      expect(evidenceOf(usual, count, now / 2)).toBeGreaterThanOrEqual(evidence - 1e-9)
    }),
  )
})

test('packed shares are read back, one by one or all', () => {
  const shares = fc.array(fc.option(fc.integer({ min: 0, max: 1000 })), { maxLength: 70 })
  fc.assert(
    fc.property(shares, (all) => {
      expect(unpack(pack(all))).toEqual(all)
      expect(all.map((_, i) => shareAt(pack(all), i))).toEqual(all)
      expect(shareAt(pack(all), all.length)).toBeNull()
    }),
  )
})
