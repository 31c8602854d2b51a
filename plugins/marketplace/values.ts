/**
 * Single values of the marketplace's records.
 *
 * @module
 */

/** True and false; null for anything else. */
export const boolOrNull = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null)

/**
 * The address of a page on the site that was asked, whatever host the source wrote before its path.
 *
 * @param value absolute, or a path
 * @returns null when it is neither
 */
export function linkOf(value: unknown, origin: string): string | null {
  if (typeof value !== 'string' || !/^(?:https?:\/\/|\/)/.test(value) || !URL.canParse(value, origin))
    return null
  const { pathname, search } = new URL(value, origin)
  return pathname === '/' ? null : `${origin}${pathname}${search}`
}

/** The address of an image, wherever it lies; null when it is none. */
export const imageOf = (value: unknown): string | null =>
  typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value) ? value : null
