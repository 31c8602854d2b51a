/**
 * Converts values of Instagram's responses. Unexpected values become null.
 *
 * @module
 */
import { at, entriesAt, integerOrNull, textOrNull } from 'gleaner/plugin'
import type { PostFacts } from './post.ts'

/** A count; null for a hidden count, which the source writes as -1. */
export function countOrNull(value: unknown): number | null {
  const count = integerOrNull(value)
  return count !== null && count >= 0 ? count : null
}

/** The id in the first field that has one: digits, optionally followed by `_` and the owner's id, which is dropped. */
export function idIn(json: unknown, ...fields: readonly string[]): string | null {
  for (const field of fields) {
    const value = at(json, field)
    const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
    const [, id] = (typeof text === 'string' && /^(\d+)(?:_\d+)?$/.exec(text)) || []
    if (id !== undefined) return id
  }
  return null
}

/** The location of a post; null without id and name. @param fields the fields that may contain the id */
export function placeOf(place: unknown, ...fields: readonly string[]): PostFacts['location'] {
  const [id, name] = [idIn(place, ...fields), textOrNull(at(place, 'name'))]
  return id === null && name === null ? null : { id, name }
}

/** The usernames in a list, at the same path in each entry. */
export const usernamesIn = (list: unknown, ...path: readonly string[]): string[] =>
  entriesAt(list).flatMap((entry) => textOrNull(at(entry, ...path, 'username')) ?? [])

/** The nodes of a GraphQL connection; empty when there is no connection. */
export const nodesIn = (connection: unknown): unknown[] =>
  entriesAt(connection, 'edges').map((edge) => at(edge, 'node'))
