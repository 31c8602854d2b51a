/**
 * A list of accounts, from the Lists tab of a search. The field names are taken from other clients of the site.
 *
 * @module
 */
import { at, field, reader, type Static, Type } from 'gleaner/plugin'
import { Author, authorOf } from './user.ts'

export const List = Type.Object({
  id: field.required(field.id(['id_str', 'rest_id']), 'a list has no id'),
  name: field.text('name'),
  description: field.text('description'),
  member_count: field.integer('member_count'),
  subscriber_count: field.integer('subscriber_count'),
  mode: field.text('mode', 'Public or Private.'),
  owner: field.value(Author, (list) =>
    authorOf(at(list, 'user_results', 'result') ?? at(list, 'owner_results', 'result')),
  ),
})
export type List = Static<typeof List>

/** Reads a list. @throws {SourceChanged} when it has no id */
export const listOf = reader(List)
