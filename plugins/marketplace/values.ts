/**
 * Addresses in the marketplace's records.
 *
 * @module
 */

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
