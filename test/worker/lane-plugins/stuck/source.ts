/** A source whose runs hang, for tests of lanes. */
import { defineSource, defineTask, Type } from 'gleaner/plugin'

export default defineSource({
  name: 'stuck',
  title: 'Stuck',
  origin: 'https://stuck.example',
  tasks: [
    defineTask({
      key: 'stuck.list',
      path: '/v1/stuck/list',
      title: 'List',
      description: 'Never ends.',
      price: 1,
      input: Type.Object({}),
      item: Type.Object({ n: Type.Integer() }),
      example: {},
      async *run() {
        await new Promise(() => {})
        return {}
      },
    }),
  ],
})
