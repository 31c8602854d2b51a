/**
 * A source that is read without TLS, so that a proxy of a test can answer in its place.
 *
 * @module
 */
import {
  at,
  Blocked,
  type Context,
  defineSource,
  defineTask,
  listAt,
  routes,
  SourceChanged,
  Type,
} from 'gleaner/plugin'
import { confession } from './confession.ts'

const item = Type.Object({ n: Type.Integer() })
const input = Type.Object({
  paths: Type.Array(Type.String()),
  blocks: Type.Optional(Type.Integer({ default: 0 })),
  page: Type.Optional(Type.Boolean({ default: false })),
  ends: Type.Optional(Type.String()),
})

async function* list(
  context: Context,
  { paths, blocks = 0, page = false }: { readonly paths: readonly string[]; blocks?: number; page?: boolean },
) {
  for (let block = 1; block <= blocks; block++) await context.charge(block)
  if (paths.length === 0) {
    void context.charge(1)
    throw new Blocked('not from there')
  }
  if (page) {
    await (await context.page()).goto('/page')
  }
  for (const path of paths) {
    const reply = await context.fetch(path, { tries: 1 })
    for (const lamp of listAt(await reply.json(), 'lamps')) yield { n: at(lamp, 'n') as number }
  }
  return {}
}

/** Tries a second route when the first one is refused. */
async function* routed(context: Context, { paths }: { readonly paths: readonly string[] }) {
  const read = (path: string) => async () => (await context.fetch(path, { tries: 1 })).json()
  const readList = routes(
    context,
    paths.map((path) => ({ name: `route ${path}`, read: read(path) })),
  )
  for (const lamp of listAt(await readList(), 'lamps')) yield { n: at(lamp, 'n') as number }
  return {}
}

/** Makes no request where an earlier run was refused. */
async function* careful(context: Context, input: { readonly paths: readonly string[] }) {
  if (context.exitMemory.get('refused')) throw new Blocked('an earlier run was refused')
  try {
    yield* list(context, input)
  } catch (error) {
    context.exitMemory.set('refused', true, 3600)
    throw error
  }
  return {}
}

/** Ends its process after a request. */
async function* crash(context: Context) {
  yield* list(context, { paths: ['/1'] })
  setTimeout(() => {
    throw new Error('a timer that fails')
  })
  return await new Promise<object>(() => {})
}

/** Says all that it finds: in log lines, on its output, and as its error. */
async function* confess(
  context: Context,
  { ends }: { readonly ends?: string },
): AsyncGenerator<{ n: number }, object, void> {
  yield* []
  const errors: unknown[] = []
  const fetch = (url: string) => context.fetch(url, { tries: 1 }).catch((error) => void errors.push(error))
  await fetch('/1')
  await fetch('/refused')
  await fetch('https://www.lamps.example/tunnel')
  void fetch('/held')
  await fetch('/1')
  const found = confession({ context, errors, stack: new Error().stack })
  for (const each of found) {
    context.log(each, { each })
    console.error(each)
  }
  const words = found.join('\n') || 'nothing'
  if (ends === 'changed') throw new SourceChanged(words)
  if (ends === 'throws') throw new Error(words, { cause: errors })
  setTimeout(() => {
    throw new Error(words)
  })
  return await new Promise(() => {})
}

const common = { input, item, example: { paths: ['/1'] }, description: 'Lists lamps.' }

export default defineSource({
  name: 'lamps',
  title: 'Lamps',
  origin: 'http://www.lamps.example',
  pace: { perSecond: 10_000, concurrent: 100 },
  credentials: ['KEY'],
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
      key: 'lamps.routed',
      path: '/v1/lamps/routed',
      title: 'By routes',
      price: 1,
      run: routed,
    }),
    defineTask({
      ...common,
      key: 'lamps.careful',
      path: '/v1/lamps/careful',
      title: 'Careful',
      price: 1,
      run: careful,
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
    defineTask({
      ...common,
      key: 'lamps.crash',
      path: '/v1/lamps/crash',
      title: 'Crash',
      price: 1,
      run: crash,
    }),
    defineTask({
      ...common,
      key: 'lamps.confess',
      path: '/v1/lamps/confess',
      title: 'Confess',
      price: 1,
      run: confess,
    }),
  ],
})
