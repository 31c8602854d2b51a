/**
 * Shares of items with a value, one for each field of a task, in thousandths. In rows they are text, two digits a share:
 * a row is written with every batch of ends, and text is read and written much faster than lists of numbers.
 *
 * @module
 */

/** One share for each field, 0 to 1000; null for a field that no item could have. */
export type Shares = readonly (number | null)[]

const NONE = '--'
const DASH = 45
const BASE = 36

/** Up to 1,295 a number. */
export const pack = (shares: Shares): string =>
  shares.map((share) => (share === null ? NONE : share.toString(BASE).padStart(2, '0'))).join('')

export function unpack(text: string): (number | null)[] {
  const shares: (number | null)[] = []
  for (let i = 0; i < text.length; i += 2) shares.push(shareAt(text, i / 2))
  return shares
}

/** One of the packed shares; null also beyond their end. */
export function shareAt(text: string, field: number): number | null {
  const at = 2 * field
  const high = text.charCodeAt(at)
  if (Number.isNaN(high) || high === DASH) return null
  return digit(high) * BASE + digit(text.charCodeAt(at + 1))
}

/** The value of a digit or lower-case letter. */
const digit = (code: number): number => (code < 58 ? code - 48 : code - 87)
