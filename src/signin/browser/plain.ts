/**
 * Makes texts of a page safe to show to a person next to the page.
 *
 * @module
 */

/** The longest text and the longest address, in characters. */
const MOST_CHARS = 200
const MOST_ADDRESS = 2000

/** Characters that are invisible or change the text direction, which could make a text read as another one. */
const CONTROLS = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/gu

/** A text as one line of at most 200 characters. */
export const plain = (text: string): string =>
  text
    .slice(0, MOST_CHARS * 5)
    .replace(CONTROLS, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MOST_CHARS)
    .toWellFormed()

/**
 * An address of at most 2,000 characters. A host with non-ASCII letters is in its ASCII form (`xn--…`), and other
 * non-ASCII characters are escaped, to prevent homograph attacks.
 */
export const plainAddress = (address: string): string => new URL(address).href.slice(0, MOST_ADDRESS)
