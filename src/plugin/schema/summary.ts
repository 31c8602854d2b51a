/**
 * The parts of a summary of an input; see `summary` of a task.
 *
 * @module
 */

/**
 * Joins the parts of a summary. Missing ones are left out.
 *
 * @example
 * summaryOf('desk lamp', undefined, quantity(2, 'page')) // => 'desk lamp · 2 pages'
 */
export const summaryOf = (...parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== '').join(' · ')

/**
 * A number of things in words.
 *
 * @param noun the thing in the singular; its plural ends in s
 * @returns undefined when the input has no such number
 * @example
 * quantity(1, 'page') // => '1 page'
 * quantity(2000, 'post') // => '2,000 posts'
 * quantity(undefined, 'page') // => undefined
 */
export const quantity = (count: number | undefined, noun: string): string | undefined =>
  count === undefined ? undefined : `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

/**
 * The part of a URL by which people recognize it: without scheme, `www.`, user info, query and fragment, which may hold
 * a token. Any other text is returned as it is.
 *
 * @example
 * shortUrl('https://www.shop.example/lamps/7/?session=x') // => 'shop.example/lamps/7'
 * shortUrl('desk lamp') // => 'desk lamp'
 */
export function shortUrl(text: string): string {
  const [, host, path = ''] = /^https?:\/\/(?:[^/?#]*@)?(?:www\.)?([^/?#]+)([^?#]*)/i.exec(text.trim()) ?? []
  return host === undefined ? text : host + path.replace(/\/$/, '')
}
