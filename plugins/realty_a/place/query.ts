/**
 * What a query asks the look-up of places for.
 *
 * @module
 */

/** A place that a query names. */
export type PlaceQuery = {
  /** the texts to ask the look-up for, in order */
  readonly forms: readonly string[]
  /** the query, or its part before the first comma */
  readonly place: string
  /** the words after the comma, such as the county */
  readonly further: readonly string[]
}

/**
 * The place that a query names. The look-up refuses some punctuation, and is best asked for the place alone: with a
 * comma in the query, first all of it is asked, then the part before the comma.
 */
export function placeQueryIn(query: string): PlaceQuery {
  const comma = query.indexOf(',')
  const all = clean(query)
  const place = comma < 0 ? all : clean(query.slice(0, comma))
  if (place === '') return { forms: all === '' ? [] : [all], place: all, further: [] }
  return { forms: [...new Set([all, place])], place, further: comma < 0 ? [] : wordsOf(query.slice(comma)) }
}

/** A text without the punctuation that the look-up answers with 400, or for which it finds nothing. */
const clean = (text: string): string =>
  text
    .replace(/['’]/g, '')
    .replace(/["!.,;:?\s]+/g, ' ')
    .trim()

/** The words of a text in lower case: `["kings", "lynn"]` for `King's Lynn`. */
export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/['’]/g, '')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')
