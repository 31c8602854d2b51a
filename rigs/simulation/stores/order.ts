/**
 * The sort order of the adapters of stores.
 *
 * @module
 */

/** Characters that UTF-16 and UTF-8 may order differently. */
const WIDE = /[\ud800-\uffff]/

/** A comparison function: numbers come before texts, and texts are ordered by their UTF-8 bytes. */
export function byValue(a: string | number, b: string | number): number {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1
  if (typeof a === 'string' && typeof b === 'string' && WIDE.test(a) && WIDE.test(b))
    return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a < b ? -1 : a > b ? 1 : 0
}
