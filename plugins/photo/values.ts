/**
 * Values of Instagram's answers, of which an odd one becomes null.
 *
 * @module
 */
import { at, entriesAt, integerOrNull, textOrNull } from 'gleaner/plugin'
import type { PostFacts } from './post.ts'

/** A count; -1 stands for a hidden one. */
export function countOrNull(value: unknown): number | null {
  const count = integerOrNull(value)
  return count !== null && count >= 0 ? count : null
}

/** The first of some fields that holds an id: digits, before a `_` and the id of the owner. */
export function idIn(json: unknown, ...fields: readonly string[]): string | null {
  for (const field of fields) {
    const value = at(json, field)
    const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
    const [, id] = (typeof text === 'string' && /^(\d+)(?:_\d+)?$/.exec(text)) || []
    if (id !== undefined) return id
  }
  return null
}

/** Where a post was made; null when neither id nor name is told. @param fields that may hold the id */
export function placeOf(place: unknown, ...fields: readonly string[]): PostFacts['location'] {
  const [id, name] = [idIn(place, ...fields), textOrNull(at(place, 'name'))]
  return id === null && name === null ? null : { id, name }
}

/** The usernames in a list, found on the same way in each of its entries. */
export const usernamesIn = (list: unknown, ...way: readonly string[]): string[] =>
  entriesAt(list).flatMap((entry) => textOrNull(at(entry, ...way, 'username')) ?? [])

/** The nodes of a GraphQL connection; none when there is no connection. */
export const nodesIn = (connection: unknown): unknown[] =>
  entriesAt(connection, 'edges').map((edge) => at(edge, 'node'))
