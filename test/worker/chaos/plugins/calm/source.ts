/** A source whose runs end at once, to see whether the service still answers. */
import { defineSource, defineTask, Type } from 'gleaner/plugin'

export default defineSource({
  name: 'calm',
  title: 'Calm',
  origin: 'https://calm.example',
  tasks: [
    defineTask({
      key: 'calm.list',
      path: '/v1/calm/list',
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
