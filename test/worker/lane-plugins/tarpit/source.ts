/** Another source whose runs hang, for tests of lanes. */
import { defineSource, defineTask, Type } from 'gleaner/plugin'

export default defineSource({
  name: 'tarpit',
  title: 'Tarpit',
  origin: 'https://tarpit.example',
  tasks: [
    defineTask({
      key: 'tarpit.list',
      path: '/v1/tarpit/list',
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
