/**
 * How unlikely it is that a loss of values is chance.
 *
 * @module
 */

/** The usual shares of a field, from 0 to 1: their mean, and their variance between runs. */
export type Usual = { readonly mean: number; readonly variance: number }

/**
 * Hoeffding's bound for shares, which are not below 0: with a probability of at most e^-evidence, the mean of `count`
 * shares is `now` or less.
 *
 * @param count the number of shares that do not depend on each other
 * @returns 0 if `now` is not less than usual
 */
export function evidenceOf({ mean, variance }: Usual, count: number, now: number): number {
  if (count === 0 || now >= mean) return 0
  const all = mean ** 2 + variance
  const low = (variance + mean * (mean - now)) / all
  const rate = variance / all
  // Rounding can take a loss of almost nothing below 0.
  return Math.max(0, count * (part(low, rate) + part(1 - low, 1 - rate)))
}

const part = (a: number, b: number): number => (a <= 0 ? 0 : a * Math.log(a / b))
