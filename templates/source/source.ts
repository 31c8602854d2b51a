/**
 * New source: what it is, in a sentence.
 *
 * @module
 */
import {
  at,
  Cursor,
  defineSource,
  defineTask,
  idOrNull,
  Limit,
  Link,
  listAt,
  Nullable,
  paged,
  Query,
  SourceChanged,
  Type,
  textOf,
  textOrNull,
} from 'gleaner/plugin'

const origin = 'https://www.example.com'

const Item = Type.Object({
  id: Type.String(),
  title: Type.String(),
  url: Link(),
  description: Nullable(Type.String({ description: 'Plain text.' })),
})

const search = defineTask({
  key: 'newsource.search',
  path: '/v1/newsource/search',
  title: 'New source search',
  description: 'What the source has for some words.',
  price: 1,
  input: Type.Object({
    query: Query(),
    limit: Limit(),
    cursor: Cursor({ max: 1000, words: 'a page from 0 to 1000 as text', insidePage: true }),
  }),
  item: Item,
  example: { query: 'desk', limit: 5 },
  async *run(context, { query, limit, cursor }) {
    const next_cursor = yield* paged({
      cursor,
      limit,
      first: '1',
      key: ({ id }) => id,
      async read(page) {
        const reply = await context.fetch('/api/search', { query: { q: query, page } })
        const json = await reply.json()
        return { rows: listAt(json, 'results').map(itemOf), next: idOrNull(at(json, 'next_page')) }
      },
    })
    return { next_cursor }
  },
})

/** One entry of the source's list. @throws SourceChanged without what every entry has */
function itemOf(entry: unknown) {
  const id = idOrNull(at(entry, 'id'))
  const title = textOrNull(at(entry, 'title'))
  if (id === null || title === null) throw new SourceChanged('an entry has no id or title')
  return { id, title, url: `${origin}/items/${id}`, description: textOf(at(entry, 'description')) }
}

export default defineSource({ name: 'newsource', title: 'New source', origin, tasks: [search] })
