/**
 * New source: describe it in one sentence.
 *
 * @module
 */
import {
  at,
  Cursor,
  defineSource,
  defineTask,
  field,
  idOrNull,
  Limit,
  Link,
  listAt,
  paged,
  Query,
  reader,
  Type,
} from 'gleaner/plugin'

const origin = 'https://www.example.com'

/** Each field with its path in an entry. If a required field is missing, the source has changed. */
const Item = Type.Object({
  id: field.required(field.id('id'), 'an entry has no id'),
  title: field.required(field.text('title'), 'an entry has no title'),
  url: field.value(Link(), (entry, origin) => `${origin}/items/${at(entry, 'id')}`),
  description: field.plain('description', 'Plain text.'),
})
const itemOf = reader(Item)

const search = defineTask({
  key: 'newsource.search',
  path: '/v1/newsource/search',
  title: 'New source search',
  description: 'Finds entries by words.',
  price: 1,
  input: Type.Object({
    query: Query(),
    limit: Limit(),
    cursor: Cursor({ max: 1000, words: 'a page from 0 to 1000 as a string', insidePage: true }),
  }),
  summary: ({ query }) => query,
  item: Item,
  example: { query: 'desk', limit: 5 },
  async *run(context, { query, limit, cursor }) {
    const next_cursor = yield* paged({
      cursor,
      limit,
      first: '1',
      key: ({ id }) => id,
      context,
      async read(page) {
        const reply = await context.fetch('/api/search', { query: { q: query, page } })
        const json = await reply.json()
        const rows = listAt(json, 'results').map((entry) => itemOf(entry, origin))
        return { rows, next: idOrNull(at(json, 'next_page')) }
      },
    })
    return { next_cursor }
  },
})

export default defineSource({ name: 'newsource', title: 'New source', origin, tasks: [search] })
