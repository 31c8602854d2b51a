/**
 * The order that the adapters of stores keep.
 *
 * @module
 */

/** What UTF-16 and UTF-8 may order differently. */
const WIDE = /[\ud800-\uffff]/

/** Compares for a sort: numbers come before texts, and texts are ordered by their bytes in UTF-8. */
export function byValue(a: string | number, b: string | number): number {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1
  if (typeof a === 'string' && typeof b === 'string' && WIDE.test(a) && WIDE.test(b))
    return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a < b ? -1 : a > b ? 1 : 0
}
