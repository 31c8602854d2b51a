/** The inputs that a task declares have the type of its input. */
import { expect, test } from 'bun:test'
import { defineTask, Query, Type } from 'gleaner/plugin'

const options = {
  key: 'lamps.search',
  path: '/v1/lamps/search',
  title: 'Lamp search',
  description: 'Lamps by words.',
  price: 1,
  input: Type.Object({ query: Query(), limit: Type.Optional(Type.Integer()) }),
  item: Type.Object({ title: Type.String() }),
  example: { query: 'desk' },
  // biome-ignore lint/correctness/useYield: it is never run
  async *run() {
    return undefined
  },
}

test('inputs of the canary are checked by the compiler, as the example is', () => {
  expect(
    defineTask({ ...options, canary: [{ query: 'floor', limit: 5 }, { query: 'wall' }] }).canary,
  ).toEqual([{ query: 'floor', limit: 5 }, { query: 'wall' }])
  // @ts-expect-error the query is a text
  defineTask({ ...options, canary: [{ query: 1 }] })
  // @ts-expect-error the input has no such field
  defineTask({ ...options, canary: [{ words: 'wall' }] })
})
