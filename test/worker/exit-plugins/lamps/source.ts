/**
 * A source that is read without TLS, so that a proxy of a test can answer in its place.
 *
 * @module
 */
import { at, type Context, defineSource, defineTask, listAt, Type } from 'gleaner/plugin'

const item = Type.Object({ n: Type.Integer() })
const input = Type.Object({
  paths: Type.Array(Type.String()),
  blocks: Type.Optional(Type.Integer({ default: 0 })),
  page: Type.Optional(Type.Boolean({ default: false })),
})

async function* list(
  context: Context,
  { paths, blocks = 0, page = false }: { readonly paths: readonly string[]; blocks?: number; page?: boolean },
) {
  for (let block = 1; block <= blocks; block++) await context.charge(block)
  if (page) {
    await (await context.page()).goto('/page')
  }
  for (const path of paths) {
    const reply = await context.fetch(path, { tries: 1 })
    for (const lamp of listAt(await reply.json(), 'lamps')) yield { n: at(lamp, 'n') as number }
  }
  return {}
}

const common = { input, item, example: { paths: ['/1'] }, description: 'Lists lamps.' }

export default defineSource({
  name: 'lamps',
  title: 'Lamps',
  origin: 'http://www.lamps.example',
  pace: { perSecond: 10_000, concurrent: 100 },
  login: { url: '/sign-in', signedIn: { cookies: ['session'] } },
  tasks: [
    defineTask({ ...common, key: 'lamps.list', path: '/v1/lamps/list', title: 'List', price: 1, run: list }),
    defineTask({
      ...common,
      key: 'lamps.mine',
      path: '/v1/lamps/mine',
      title: 'Mine',
      price: 1,
      needs: { login: 'optional' },
      run: list,
    }),
    defineTask({
      ...common,
      key: 'lamps.blocks',
      path: '/v1/lamps/blocks',
      title: 'By block',
      price: { from: 1, words: '1, and 5 for each block', of: () => 1, block: 5 },
      run: list,
    }),
    defineTask({
      ...common,
      key: 'lamps.seen',
      path: '/v1/lamps/seen',
      title: 'Seen',
      price: 1,
      needs: { browser: true },
      run: list,
    }),
  ],
})
