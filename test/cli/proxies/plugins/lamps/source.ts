/**
 * A site without TLS, whose requests a proxy sees and may answer.
 *
 * @module
 */
import { defineSource, defineTask, Type } from 'gleaner/plugin'

const front = defineTask({
  key: 'lamps.front',
  path: '/v1/lamps/front',
  title: 'Front page',
  description: 'The title of the front page.',
  price: 1,
  input: Type.Object({}),
  item: Type.Object({ title: Type.String() }),
  example: {},
  async *run({ fetch }) {
    yield { title: await (await fetch('/')).text() }
    return {}
  },
})

export default defineSource({
  name: 'lamps',
  title: 'Lamps',
  origin: 'http://lamps.example',
  pace: { perSecond: 1000, concurrent: 10 },
  tasks: [front],
})
