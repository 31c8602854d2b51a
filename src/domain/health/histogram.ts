/**
 * Counts of whole numbers in buckets that grow with the numbers: exact up to 15, then eight for each doubling, so that a
 * median is right within 6 %. Whole numbers only, so that every machine counts the same.
 *
 * @module
 */

/** Counts by the number of the bucket. */
export type Histogram = { readonly [bucket: string]: number }

const SUB_BITS = 3
const SUBS = 2 ** SUB_BITS
const MOST = 2 ** 31 - 1

/** The bucket of a whole number from 0. */
export function bucketOf(value: number): number {
  const n = Math.min(value, MOST)
  if (n < 2 * SUBS) return n
  const shift = 31 - Math.clz32(n) - SUB_BITS
  return (shift + 1) * SUBS + ((n >> shift) - SUBS)
}

/** The middle of a bucket. */
export function middleOf(bucket: number): number {
  if (bucket < 2 * SUBS) return bucket
  const shift = Math.floor(bucket / SUBS) - 1
  return (SUBS + (bucket % SUBS)) * 2 ** shift + (2 ** shift - 1) / 2
}

export function counted(histogram: Histogram, value: number): Histogram {
  const bucket = bucketOf(value)
  return { ...histogram, [bucket]: (histogram[bucket] ?? 0) + 1 }
}

/** The median of the counted numbers, rounded; null without any. */
export function medianOf(histogram: Histogram): number | null {
  const buckets = Object.entries(histogram)
    .map(([bucket, count]) => [Number(bucket), count] as const)
    .toSorted(([a], [b]) => a - b)
  const half = buckets.reduce((sum, [, count]) => sum + count, 0) / 2
  let below = 0
  for (const [bucket, count] of buckets) {
    below += count
    if (below >= half) return Math.round(middleOf(bucket))
  }
  return null
}
