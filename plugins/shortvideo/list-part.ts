/**
 * Parts of a list. The site counts their positions in rows from 0, removed rows included.
 *
 * @module
 */
import { at, flagOrNull, integerOrNull } from 'gleaner/plugin'

export type Part<Row> = {
  /** the position of the first row */
  readonly from: number
  readonly rows: readonly Row[]
  /** the position of the following part; null when the site names none beyond this one */
  readonly next: number | null
  /** whether the site says that the list continues; null when it does not say */
  readonly more: boolean | null
}

/** Reads the part at a position. Null: the list continues, but the site does not let this visitor read further. */
export type ReadPart<P> = (from: number) => Promise<P | null>

/** The position of the following part and whether there is one, from a response of any of the site's lists. */
export function followingIn(json: unknown, from: number): Pick<Part<never>, 'next' | 'more'> {
  const cursor = integerOrNull(at(json, 'cursor'))
  const flag = at(json, 'has_more') ?? at(json, 'hasMore')
  const number = integerOrNull(flag)
  return {
    next: cursor !== null && cursor > from ? cursor : null,
    more: number === null ? flagOrNull(flag) : number !== 0,
  }
}

/**
 * Corrects `more` of a list that says too early that it ends: only a following part without new rows is its end. That
 * part is asked for at once, and kept for the next call.
 *
 * @param key the identity of a row
 */
export function withTrueEnd<Row, P extends Part<Row>>(
  read: ReadPart<P>,
  key: (row: Row) => string,
): ReadPart<P> {
  let ahead: { readonly from: number; readonly part: Promise<P | null> } | undefined
  return async (from) => {
    const part = await (ahead?.from === from ? ahead.part : read(from))
    ahead = undefined
    if (part === null || part.next === null || part.more !== false || part.rows.length === 0) return part
    const following = read(part.next)
    ahead = { from: part.next, part: following }
    const keys = new Set(part.rows.map(key))
    const isNew = (row: Row): boolean => !keys.has(key(row))
    // A refusal says nothing about the end. It is thrown when the rows are wanted.
    const more = await following.then(
      (next) => next?.rows.some(isNew) ?? true,
      () => true,
    )
    return { ...part, more }
  }
}
