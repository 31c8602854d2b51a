/**
 * Tasks that misbehave, and some that behave well, for the tests of the worker.
 *
 * @module
 */
import {
  type Context,
  defineSource,
  defineTask,
  NotFound,
  type Price,
  SourceChanged,
  TryAgain,
  Type,
} from 'gleaner/plugin'

const item = Type.Object({ n: Type.Integer() })
const input = Type.Object({
  count: Type.Optional(Type.Integer({ default: 3 })),
  text: Type.Optional(Type.String()),
})
type Input = { readonly count: number; readonly text?: string }
type Run = (context: Context, input: Input) => AsyncGenerator<{ n: number }, unknown, void>

const sleep = (ms: number) => new Promise<void>((go) => setTimeout(go, ms))
const DONE = { next_cursor: null }

/** 1 credit at the kickoff and 5 for each further block; spends `total`, where 1000 stands for an invalid amount. */
const blockwise: Price<object> = {
  from: 1,
  words: 'and 5 for each block',
  of: () => 1,
  block: 5,
  spent: ({ total }) => (total === 1000 ? Number.NaN : Number(total)),
}

function task(
  name: string,
  run: Run,
  limits: { run_s?: number; memory_mb?: number } = {},
  price: Price<object> = 1,
) {
  return defineTask({
    key: `faults.${name}`,
    path: `/v1/faults/${name}`,
    title: name,
    description: name,
    price,
    input,
    item,
    extra: { total: Type.Union([Type.Integer(), Type.Null()]) },
    example: {},
    limits,
    run: run as never,
  })
}

let tries = 0

export default defineSource({
  name: 'faults',
  title: 'Faults',
  origin: 'https://faults.example',
  hosts: ['*.faults.example'],
  pace: { perSecond: 1000, concurrent: 2 },
  tasks: [
    task('count', async function* (_, { count }) {
      for (let n = 0; n < count; n++) yield { n }
      return { next_cursor: null, total: count } as never
    }),
    task('loop', async function* () {
      yield { n: 1 }
      await sleep(300)
      for (;;);
    }),
    // Asks for the slots of more requests than any plugin makes at once.
    task('asks-much', async function* ({ fetch }) {
      yield { n: 1 }
      await sleep(150)
      for (let n = 1; ; n++) {
        void fetch('/').catch(() => {})
        if (n % 500 === 0) await sleep(100)
      }
    }),
    task(
      'memory',
      async function* () {
        yield { n: 1 }
        const buffers: Uint8Array[] = []
        for (;;) {
          buffers.push(new Uint8Array(8 * 1024 * 1024).fill(1))
          await sleep(5)
        }
      },
      { memory_mb: 250 },
    ),
    task('timer', async function* () {
      yield { n: 1 }
      setTimeout(() => {
        throw new Error('thrown in a timer')
      }, 5)
      await sleep(60_000)
      return DONE
    }),
    task('rejection', async function* () {
      yield { n: 1 }
      void Promise.reject(new Error('nobody listens'))
      await sleep(60_000)
      return DONE
    }),
    task('exit', async function* () {
      yield { n: 1 }
      // Items are sent within 100 ms, on a busy machine later.
      await sleep(1000)
      process.exit(0)
    }),
    // Leaves a timer behind that ends the process during the next run.
    task('leftover', async function* () {
      yield { n: 1 }
      setTimeout(() => {
        throw new Error('left behind')
      }, 100)
      return { next_cursor: null, total: null } as never
    }),
    task('throws', async function* () {
      yield { n: 1 }
      throw new TypeError('secret words of the plugin')
    }),
    task('not-found', async function* (_, { text }) {
      yield* []
      throw new NotFound(text ?? 'no such thing')
    }),
    task('changed', async function* () {
      yield { n: 1 }
      yield { n: 2 }
      throw new SourceChanged('no list')
    }),
    task('bad-output', async function* () {
      yield { n: 1 }
      yield { n: 'two' } as never
    }),
    task('extra-output', async function* () {
      yield { n: 1, more: true } as never
    }),
    task('bad-rest', async function* () {
      yield { n: 1 }
      return { next_cursor: 7 } as never
    }),
    task('huge', async function* () {
      for (;;) yield { n: Number.MAX_SAFE_INTEGER - 1 }
    }),
    task('many', async function* (_, { count }) {
      for (let n = 0; n < count; n++) yield { n }
      return { next_cursor: null, total: null } as never
    }),
    task('slow', async function* ({ signal, progress }, { count }) {
      for (let n = 0; n < count && !signal.aborted; n++) {
        yield { n }
        progress(n + 1, count, 'going on')
        await sleep(50)
      }
      return { next_cursor: null, total: null } as never
    }),
    task('deaf', async function* () {
      yield { n: 1 }
      yield { n: 2 }
      await sleep(600_000)
    }),
    task(
      'short-limit',
      async function* () {
        yield { n: 1 }
        await sleep(600_000)
      },
      { run_s: 1 },
    ),
    task('try-again', async function* (_, { count }) {
      tries++
      yield { n: tries }
      if (tries % count !== 0) throw new TryAgain('not now')
      return { next_cursor: null, total: null } as never
    }),
    task('environment', async function* () {
      for (const name of Object.keys(process.env))
        if (/KEY|URL|DATA_DIR|SECRET/.test(name)) yield { n: name.length }
      return { next_cursor: null, total: null } as never
    }),
    task('prints', async function* () {
      console.log('printed by a plugin')
      yield { n: 1 }
      return { next_cursor: null, total: null } as never
    }),
    task('file', async function* ({ artifact }) {
      const file = await artifact('hello.txt', 'text/plain')
      await file.write(new TextEncoder().encode('hello '))
      await file.write(new TextEncoder().encode('world'))
      await file.close()
      yield { n: 1 }
      return { next_cursor: null, total: null } as never
    }),
    task('files', async function* ({ artifact }, { count }) {
      for (let n = 1; n <= count; n++) {
        await (await artifact(`${n}.txt`, 'text/plain')).close()
        yield { n }
      }
      return { next_cursor: null, total: null } as never
    }),
    task('patched-file', async function* ({ artifact }) {
      const file = await artifact('hello.txt', 'text/plain')
      const write = (text: string) => file.write(new TextEncoder().encode(text))
      await write('????? world')
      await write(', and what came wrong')
      await file.truncate(11)
      await write('!')
      await file.patch(0, new TextEncoder().encode('hello'))
      const beyond = await file.patch(10, new TextEncoder().encode('abc')).catch((error) => error)
      const longer = await file.truncate(13).catch((error) => error)
      await file.close()
      for (const error of [beyond, longer]) yield { n: error instanceof RangeError ? 1 : 0 }
      return { next_cursor: null, total: null } as never
    }),
    // Pays for blocks until it is refused or has `count`. `text` is its next action, or the amount that it has spent.
    task(
      'blocks',
      async function* ({ charge, signal, progress }, { count, text }) {
        let paid = 0
        while (paid < count && (await charge(paid + 1))) yield { n: ++paid }
        progress(paid)
        if (text === 'fail') throw new SourceChanged('no list')
        if (text === 'wait') await new Promise((go) => signal.addEventListener('abort', go, { once: true }))
        return { next_cursor: null, total: Number(text ?? 1 + paid * 5) } as never
      },
      {},
      blockwise,
    ),
    task('no-blocks', async function* ({ charge }) {
      yield { n: 1 }
      await charge(1)
    }),
    task('bad-file', async function* ({ artifact }) {
      yield { n: 1 }
      await artifact('../hello.txt', 'text/plain')
    }),
    task('text-file', async function* ({ artifact }) {
      yield { n: 1 }
      const file = await artifact('hello.txt', 'text/plain')
      await file.write('hällo' as never)
    }),
    // Has the runtime collect its garbage. Deno offers no way.
    task('collects', async function* () {
      for (let n = 0; n < 3; n++) {
        if ('Bun' in globalThis) Bun.gc(true)
        await sleep(10)
        yield { n }
      }
      return { next_cursor: null, total: null } as never
    }),
    task('fetch', async function* ({ fetch }, { text }) {
      const reply = await fetch(text ?? '/')
      const body = (await reply.json()) as { n: number }
      yield { n: body.n }
      return { next_cursor: null, total: null } as never
    }),
    // Asks for two pages at once, and no longer listens to the second one when the first one fails.
    task('looks-ahead', async function* ({ fetch }) {
      yield { n: 1 }
      const ahead = fetch('/held').then((reply) => reply.json())
      await fetch('/held')
      await ahead
    }),
    task('bypass', async function* () {
      yield { n: 1 }
      await fetch('https://faults.example/')
    }),
    task('parses', async function* ({ parse }) {
      yield { n: parse('<ul><li>1</li><li>2</li></ul>').querySelectorAll('li').length }
      return { next_cursor: null, total: null } as never
    }),
  ],
})
