/**
 * A task that yields ten items without any request, for load tests of the service itself.
 *
 * @module
 */
import { defineSource, defineTask, Link, Query, Type } from 'gleaner/plugin'

const search = defineTask({
  key: 'echo.search',
  path: '/v1/echo/search',
  title: 'Echo',
  description: 'Ten sample items, at once.',
  price: 1,
  input: Type.Object({ query: Query() }),
  item: Type.Object({ id: Type.String(), title: Type.String(), url: Link(), price: Type.Number() }),
  example: { query: 'anything' },
  async *run(_context, { query }) {
    for (let i = 1; i <= 10; i++)
      yield { id: String(i), title: `${query} ${i}`, url: `https://echo.example/items/${i}`, price: i + 0.5 }
    return { next_cursor: null }
  },
})

export default defineSource({
  name: 'echo',
  title: 'Echo',
  origin: 'https://echo.example',
  tasks: [search],
})
