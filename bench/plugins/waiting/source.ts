/**
 * A source for the slow site of the benchmark of real work: its task reads one page. SOURCE_WAITING_ORIGIN is the origin
 * of the site.
 *
 * @module
 */
import {
  at,
  defineSource,
  defineTask,
  idOrNull,
  Link,
  listAt,
  Nullable,
  numberOrNull,
  Query,
  SourceChanged,
  Type,
  textOrNull,
} from 'gleaner/plugin'

const search = defineTask({
  key: 'waiting.search',
  path: '/v1/waiting/search',
  title: 'Waiting',
  description: 'Ten items of a slow site.',
  price: 1,
  input: Type.Object({ query: Query() }),
  item: Type.Object({
    id: Type.String(),
    title: Nullable(Type.String()),
    url: Link(),
    price: Nullable(Type.Number()),
  }),
  example: { query: 'anything' },
  async *run(context, { query }) {
    const reply = await context.fetch('/list.json', { query: { q: query } })
    for (const item of listAt(await reply.json(), 'items')) {
      const id = idOrNull(at(item, 'id'))
      if (id === null) throw new SourceChanged('an item has no id')
      yield {
        id,
        title: textOrNull(at(item, 'title')),
        url: `https://waiting.example/items/${id}`,
        price: numberOrNull(at(item, 'price')),
      }
    }
    return { next_cursor: null }
  },
})

export default defineSource({
  name: 'waiting',
  title: 'Waiting',
  origin: 'https://waiting.example',
  pace: { perSecond: 100_000, concurrent: 10_000 },
  tasks: [search],
})
