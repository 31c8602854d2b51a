/**
 * How long the credits of an account last.
 *
 * @module
 */

/** Four weeks: days of the week count alike. */
const MOST_DAYS = 28
/** A rate needs a week, or the weekend decides. */
const LEAST_DAYS = 7

export type Outlook = {
  /** credits a day */
  readonly rate: number
  /** how many days the rate is of */
  readonly days: number
  /** the number of days from today after which the balance is spent at this rate */
  readonly lasts: number
}

/**
 * How long a balance lasts at the rate of the last four weeks. Days before the first spending do not count.
 *
 * @param spent credits of whole days, less refunds, oldest first: without today, which is not over
 * @returns undefined without a balance, or when less than a week or no spending would give the rate
 */
export function outlook(balance: number, spent: readonly number[]): Outlook | undefined {
  const latest = spent.slice(-MOST_DAYS)
  const since = latest.findIndex((credits) => credits > 0)
  const counted = latest.slice(since)
  const rate = counted.reduce((sum, credits) => sum + credits, 0) / counted.length
  if (since < 0 || counted.length < LEAST_DAYS || balance === 0 || rate <= 0) return undefined
  return { rate, days: counted.length, lasts: Math.floor(balance / rate) }
}
