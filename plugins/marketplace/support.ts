/**
 * What the tests of this source share: made-up answers.
 *
 * @module
 */
import type { Task } from 'gleaner/plugin'
import { type Cassette, type Exchange, readCassette, runTask } from 'gleaner/plugin/testing'
import { memberItems } from './member-items.ts'
import { memberSearch } from './member-search.ts'
import { search } from './search.ts'
import { searchFiltered } from './search-filtered.ts'
import source from './source.ts'

/** The home page, which opens a session. */
export const home: Exchange = {
  request: '/',
  body: '<title>Home</title>',
  headers: { 'set-cookie': 'access_token_web=a' },
}

/** Every task with an input, the address of what it reads, and where the rows stand in the answer. */
export const tasks: readonly (readonly [
  key: string,
  Task,
  Record<string, unknown>,
  path: string,
  list: string,
])[] = [
  [search.key, search, { query: 'lamp' }, '/api/v2/catalog/items', 'items'],
  [searchFiltered.key, searchFiltered, { query: 'lamp', brand_ids: '14' }, '/api/v2/catalog/items', 'items'],
  [memberSearch.key, memberSearch, { query: 'ann' }, '/api/v2/users', 'users'],
  [
    memberItems.key,
    memberItems,
    { member_url: 'https://www.vinted.co.uk/member/7-ann' },
    '/api/v2/wardrobe/7/items',
    'items',
  ],
]

/** One row that has an id and little more, for lists of items and of members. */
export const row = (id: number) => ({ id, title: `Lamp ${id}`, login: `ann${id}` })

/** An answer with rows of some ids. */
export const pageOf = (list: string, ids: readonly number[], pagination: Record<string, unknown>) => ({
  [list]: ids.map(row),
  pagination,
  code: 0,
})

/** Runs a task on answers of its one address, in their order, behind the home page. */
export const run = (task: Task, input: Record<string, unknown>, exchanges: readonly Exchange[]) =>
  runTask(task, input, { source, exchanges: [home, ...exchanges] })

/** The path and the query of requests, without the home page. */
export const asked = (requests: readonly { readonly url: string }[]) =>
  requests
    .map(({ url }) => new URL(url))
    .filter(({ pathname }) => pathname !== '/')
    .map(({ pathname, searchParams }) => [pathname, Object.fromEntries(searchParams)] as const)

/** A cassette of this source. */
export const cassette = (name: string): Cassette =>
  readCassette(new URL(`./fixtures/${name}.json`, import.meta.url))

/** A cassette, replayed. */
export function replayed(task: Task, name: string) {
  const { input, exchanges } = cassette(name)
  return runTask(task, input, { source, exchanges })
}
