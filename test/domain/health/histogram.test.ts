/** Histograms: medians are right within 6 %, however many numbers they count. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  bucketOf,
  counted,
  type Histogram,
  medianOf,
  middleOf,
} from '../../../src/domain/health/histogram.ts'

const whole = fc.integer({ min: 0, max: 2 ** 31 - 1 })
const histogramOf = (values: readonly number[]): Histogram => values.reduce<Histogram>(counted, {})

test('the middle of a bucket is within 6 % of each of its numbers, and small numbers are exact', () => {
  fc.assert(
    fc.property(whole, (n) => {
      expect(Math.abs(middleOf(bucketOf(n)) - n)).toBeLessThanOrEqual(n < 16 ? 0 : n * 0.0625)
    }),
  )
})

test('greater numbers are in the same bucket or a later one', () => {
  fc.assert(
    fc.property(whole, whole, (a, b) => {
      if (a <= b) expect(bucketOf(a)).toBeLessThanOrEqual(bucketOf(b))
    }),
  )
})

test('the median is that of the numbers within 6 %; a greater number than any counts as the greatest', () => {
  fc.assert(
    fc.property(fc.array(whole, { minLength: 1, maxLength: 50 }), (values) => {
      const median = values.toSorted((a, b) => a - b)[Math.ceil(values.length / 2) - 1]!
      expect(Math.abs(medianOf(histogramOf(values))! - median)).toBeLessThanOrEqual(median * 0.0625 + 0.5)
    }),
  )
  expect(medianOf({})).toBeNull()
  expect(bucketOf(Number.MAX_SAFE_INTEGER)).toBe(bucketOf(2 ** 31 - 1))
})
