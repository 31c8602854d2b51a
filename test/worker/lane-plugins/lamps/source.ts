/** A source whose runs end at once, for tests of lanes. */
import { defineSource, defineTask, Type } from 'gleaner/plugin'

export default defineSource({
  name: 'lamps',
  title: 'Lamps',
  origin: 'https://lamps.example',
  tasks: [
    defineTask({
      key: 'lamps.list',
      path: '/v1/lamps/list',
      title: 'List',
      description: 'Ends at once.',
      price: 1,
      input: Type.Object({}),
      item: Type.Object({ n: Type.Integer() }),
      example: {},
      async *run() {
        yield { n: 1 }
        return {}
      },
    }),
  ],
})
