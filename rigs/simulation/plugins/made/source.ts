/**
 * Tasks whose inputs define what their runs do: see {@link import('../../plugin-run.ts')}. No process ever executes them.
 *
 * @module
 */
import { defineSource, defineTask, type Price, Type } from 'gleaner/plugin'

const input = Type.Object({
  /** number of items, delivered one after the other */
  items: Type.Integer({ minimum: 0, maximum: 50 }),
  /** duration, in milliseconds */
  ms: Type.Integer({ minimum: 0, maximum: 60_000 }),
  end: Type.Optional(Type.String()),
  /** number of further blocks that it charges */
  blocks: Type.Optional(Type.Integer({ minimum: 0, maximum: 5 })),
})
const item = Type.Object({ n: Type.Integer() })

/** 4 at the kickoff, 2 for each further block; the result contains the amount spent. */
const blockwise: Price<object> = {
  from: 4,
  words: 'and 2 for each further block',
  of: () => 4,
  block: 2,
  spent: ({ spent }) => Number(spent),
}

function task(name: string, price: number | Price<object>) {
  return defineTask({
    key: `made.${name}`,
    path: `/v1/made/${name}`,
    title: name,
    description: name,
    price,
    input,
    item,
    extra: { spent: Type.Union([Type.Integer(), Type.Null()]) },
    example: { items: 1, ms: 1 },
    canary: [
      { items: 2, ms: 900, blocks: 2 },
      { items: 3, ms: 2000 },
      { items: 1, ms: 50, end: 'breaks' },
    ],
    // biome-ignore lint/correctness/useYield: it is never run
    async *run() {
      throw new Error('It is never run.')
    },
  })
}

export default defineSource({
  name: 'made',
  title: 'Made up',
  origin: 'https://made.example',
  pace: { perSecond: 1000, concurrent: 100 },
  tasks: [task('quick', 3), task('blocks', blockwise)],
})
