/**
 * A list of accounts, from the Lists tab of a search. The field names are taken from other clients of the site.
 *
 * @module
 */
import { at, from, reader, type Static, Type } from 'gleaner/plugin'
import { Author, authorOf } from './user.ts'

export const List = Type.Object({
  id: from.required(from.id(['id_str', 'rest_id']), 'a list has no id'),
  name: from.text('name'),
  description: from.text('description'),
  member_count: from.integer('member_count'),
  subscriber_count: from.integer('subscriber_count'),
  mode: from.text('mode', 'Public or Private.'),
  owner: from.value(Author, (list) =>
    authorOf(at(list, 'user_results', 'result') ?? at(list, 'owner_results', 'result')),
  ),
})
export type List = Static<typeof List>

/** Reads a list. @throws {SourceChanged} when it has no id */
export const listOf = reader(List)
