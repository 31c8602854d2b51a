/**
 * Tasks for tests of crashes and shutdown: quick, slow and failing ones. They make no requests.
 *
 * @module
 */
import { defineSource, defineTask, NotFound, Type } from 'gleaner/plugin'

const item = Type.Object({ n: Type.Integer() })

const quick = defineTask({
  key: 'storm.quick',
  path: '/v1/storm/quick',
  title: 'Quick',
  description: 'Some items at once, or its own end.',
  price: 2,
  input: Type.Object({
    items: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
    end: Type.Optional(Type.Union([Type.Literal('not-found'), Type.Literal('defect')])),
  }),
  item,
  example: { items: 3 },
  async *run(_context, { items = 3, end }) {
    for (let n = 0; n < items; n++) yield { n }
    if (end === 'not-found') throw new NotFound('there is no such storm')
    if (end === 'defect') throw new Error('a defect on purpose')
    return { next_cursor: null }
  },
})

const slow = defineTask({
  key: 'storm.slow',
  path: '/v1/storm/slow',
  title: 'Slow',
  description: 'An item every 50 ms, for a while.',
  price: 3,
  input: Type.Object({ ms: Type.Integer({ minimum: 0, maximum: 600_000 }) }),
  item,
  example: { ms: 500 },
  async *run({ signal }, { ms }) {
    const until = Date.now() + ms
    for (let n = 0; Date.now() < until && !signal.aborted; n++) {
      yield { n }
      await new Promise((go) => setTimeout(go, 50))
    }
    return { next_cursor: null }
  },
})

export default defineSource({
  name: 'storm',
  title: 'Storm',
  origin: 'https://storm.example',
  tasks: [quick, slow],
})
