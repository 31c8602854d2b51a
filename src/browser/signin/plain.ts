/**
 * Words of a page as a person may be shown them beside it.
 *
 * @module
 */

/** Texts are cut to so many characters, addresses to so many. */
const MOST_CHARS = 200
const MOST_ADDRESS = 2000

/** Turn the direction of what follows, or are nothing to see: what is shown would read as something else. */
const CONTROLS = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/gu

/** A text in one line, 200 characters at most. */
export const plain = (text: string): string =>
  text
    .slice(0, MOST_CHARS * 5)
    .replace(CONTROLS, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MOST_CHARS)
    .toWellFormed()

/**
 * An address, 2,000 characters at most. A host of other letters than ours is in its ASCII form (`xn--…`) in it, and all
 * else of other letters is escaped, so that it can look like no other.
 */
export const plainAddress = (address: string): string => new URL(address).href.slice(0, MOST_ADDRESS)
