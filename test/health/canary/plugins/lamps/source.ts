/**
 * A shop of lamps, which tests break: its site answers a list, or whatever else it is told to.
 *
 * @module
 */
import { defineSource, defineTask, listAt, Nullable, Query, SourceChanged, Type } from 'gleaner/plugin'

const search = defineTask({
  key: 'lamps.search',
  path: '/v1/lamps/search',
  title: 'Lamp search',
  description: 'Lamps by words.',
  price: 2,
  input: Type.Object({ query: Query() }),
  item: Type.Object({ title: Type.String(), price: Nullable(Type.Number()) }),
  summary: ({ query }) => query,
  example: { query: 'desk' },
  canary: [{ query: 'floor' }, { query: 'wall' }],
  async *run({ fetch }, { query }) {
    const json = (await (await fetch('/search', { query: { q: query } })).json()) as { lamps?: unknown }
    if (!Array.isArray(json.lamps)) throw new SourceChanged('there is no list of lamps')
    for (const lamp of listAt(json, 'lamps')) yield lamp as { title: string; price: number | null }
    return undefined
  },
})

const mine = defineTask({
  ...search,
  key: 'lamps.mine',
  path: '/v1/lamps/mine',
  canary: [],
  needs: { login: true },
})

export default defineSource({
  name: 'lamps',
  title: 'Lamps',
  origin: 'https://www.lamps.example',
  pace: { perSecond: 1000, concurrent: 10 },
  login: { url: 'https://www.lamps.example/login', signedIn: { cookies: ['sid'] } },
  tasks: [search, mine],
})
