/**
 * A list of accounts, as the Lists tab of a search has it. Its field names are those that other clients of the site read.
 *
 * @module
 */
import {
  at,
  idOrNull,
  integerOrNull,
  Nullable,
  SourceChanged,
  type Static,
  Type,
  textOrNull,
} from 'gleaner/plugin'
import { Author, authorOf } from './user.ts'

export const List = Type.Object({
  id: Type.String(),
  name: Nullable(Type.String()),
  description: Nullable(Type.String()),
  member_count: Nullable(Type.Integer()),
  subscriber_count: Nullable(Type.Integer()),
  mode: Nullable(Type.String({ description: 'Public or Private.' })),
  owner: Author,
})
export type List = Static<typeof List>

/** Reads a list. @throws {SourceChanged} when it has no id */
export function listOf(list: unknown): List {
  const id = idOrNull(at(list, 'id_str')) ?? idOrNull(at(list, 'rest_id'))
  if (id === null) throw new SourceChanged('a list has no id')
  return {
    id,
    name: textOrNull(at(list, 'name')),
    description: textOrNull(at(list, 'description')),
    member_count: integerOrNull(at(list, 'member_count')),
    subscriber_count: integerOrNull(at(list, 'subscriber_count')),
    mode: textOrNull(at(list, 'mode')),
    owner: authorOf(at(list, 'user_results', 'result') ?? at(list, 'owner_results', 'result')),
  }
}
