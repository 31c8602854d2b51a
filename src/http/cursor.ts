/**
 * Cursors of our own lists: opaque texts that are good for the query that they came from and for no other.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { invalid } from './problems.ts'

/** The place of the last entry of a page. */
export type Place = string | number

/**
 * @param query all that the list depends on but its limit: its name, the account, the filters, and the log whose
 *   positions it goes by
 */
export function encodeCursor(query: readonly unknown[], place: Place): string {
  return Buffer.from(JSON.stringify([tag(query, place), place])).toString('base64url')
}

/**
 * The place that a cursor names; undefined without a cursor.
 *
 * @throws {Problem} 422 for a text that is no cursor, or one of another query
 */
export function decodeCursor(query: readonly unknown[], cursor: string | null): Place | undefined {
  if (cursor === null) return undefined
  const place = placeIn(cursor)
  if (place !== undefined && encodeCursor(query, place) === cursor) return place
  throw invalid([
    { pointer: '/cursor', code: 'bad-format', detail: 'must be the next_cursor of a page of the same query' },
  ])
}

/** Binds a place to its query; also what tells a cut or changed cursor. */
const tag = (query: readonly unknown[], place: Place): string =>
  hash('sha256', JSON.stringify([query, place]), 'base64url').slice(0, 22)

function placeIn(cursor: string): Place | undefined {
  try {
    const [, place] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return typeof place === 'string' || typeof place === 'number' ? place : undefined
  } catch {
    // Whatever it is, it is no cursor, and the caller says so.
    return undefined
  }
}
