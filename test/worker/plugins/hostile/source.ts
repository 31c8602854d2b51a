/**
 * Tasks that reach for what is not theirs, as code would that a hostile page has slipped into a plugin. Each brings what
 * it got hold of: 1 where it succeeded, 0 where it did not.
 *
 * @module
 */
import { spawn } from 'node:child_process'
import {
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Context, defineSource, defineTask, Type } from 'gleaner/plugin'

const input = Type.Object({
  text: Type.Optional(Type.String({ default: '' })),
  count: Type.Optional(Type.Integer({ default: 1 })),
})
type Input = { readonly text: string; readonly count: number }
type Run = (context: Context, input: Input) => AsyncGenerator<{ n: number }, unknown, void>

const sleep = (ms: number) => new Promise<void>((go) => setTimeout(go, ms))
const DONE = { next_cursor: null }

const task = (name: string, run: Run) =>
  defineTask({
    key: `hostile.${name}`,
    path: `/v1/hostile/${name}`,
    title: name,
    description: name,
    price: 1,
    input,
    item: Type.Object({ n: Type.Integer() }),
    example: {},
    run: run as never,
  })

/** Whether something can be done. */
function can(act: () => unknown): 0 | 1 {
  try {
    act()
    return 1
  } catch {
    return 0
  }
}

const own = (): string => readFileSync('/proc/self/stat', 'utf8').split(' ')[0] ?? ''

let served = 0

export default defineSource({
  name: 'hostile',
  title: 'Hostile',
  origin: 'https://hostile.example',
  hosts: [],
  tasks: [
    // How many runs this process has had.
    task('remembers', async function* () {
      yield { n: ++served }
      return DONE
    }),
    // In how many environments of other processes the text stands.
    task('environments', async function* (_, { text }) {
      const mine = can(own) ? own() : ''
      const others = can(() => readdirSync('/proc'))
        ? readdirSync('/proc').filter((name) => /^\d+$/.test(name))
        : []
      yield {
        n: others.filter(
          (pid) =>
            pid !== mine &&
            can(() => readFileSync(`/proc/${pid}/environ`)) &&
            environmentOf(pid).includes(text),
        ).length,
      }
      return DONE
    }),
    // Whether the memory of a process can be opened for reading.
    task('memory', async function* (_, { text }) {
      yield {
        n: can(() => {
          const [start] = readFileSync(`/proc/${text}/maps`, 'utf8').split('-')
          readSync(
            openSync(`/proc/${text}/mem`, 'r'),
            new Uint8Array(8),
            0,
            8,
            Number.parseInt(start ?? '', 16),
          )
        }),
      }
      return DONE
    }),
    task('reads', async function* (_, { text }) {
      yield { n: can(() => readFileSync(text)) }
      return DONE
    }),
    task('writes', async function* (_, { text }) {
      yield { n: can(() => writeFileSync(text, 'written')) }
      return DONE
    }),
    task('signals', async function* (_, { text }) {
      yield { n: can(() => process.kill(Number(text), 0)) }
      return DONE
    }),
    // Leaves a process behind that has a session of its own, and holds on to nothing.
    task('leaves', async function* (_, { text }) {
      yield { n: can(() => spawn('sleep', [text], { detached: true, stdio: 'ignore' }).unref()) }
      await sleep(50)
      return DONE
    }),
    task('leaves-and-stays', async function* (_, { text }) {
      yield { n: can(() => spawn('sleep', [text], { stdio: 'ignore' }).unref()) }
      await sleep(600_000)
      return DONE
    }),
    // Says that a file of the service is one of its own.
    task('forges', async function* (_, { text }) {
      yield { n: 1 }
      process.send?.({ type: 'file', id: 1_000_000, name: 'mine.txt', contentType: 'text/plain', path: text })
      await sleep(600_000)
      return DONE
    }),
    // Says so with a number that leads out of its folder.
    task('climbs', async function* (_, { text }) {
      yield { n: 1 }
      process.send?.({ type: 'file', id: text, name: 'mine.txt', contentType: 'text/plain' })
      await sleep(600_000)
      return DONE
    }),
    // Puts another name of a file in place of its own.
    task('links', async function* ({ artifact }, { text, count }) {
      yield { n: 1 }
      const file = await artifact('mine.txt', 'text/plain')
      const at = ownFolder()
      for (const name of readdirSync(at)) {
        rmSync(join(at, name))
        if (count === 1) symlinkSync(text, join(at, name))
        else linkSync(text, join(at, name))
      }
      await file.close()
      return DONE
    }),
    task('writes-much', async function* ({ artifact }, { count, text }) {
      yield { n: 1 }
      const file = await artifact('much.bin', 'application/octet-stream')
      for (let n = 0; n < count; n++) await file.write(new Uint8Array(1024 * 1024))
      if (text === 'stays') await sleep(600_000)
      await file.close()
      yield { n: 2 }
      return DONE
    }),
  ],
})

const environmentOf = (pid: string): string => readFileSync(`/proc/${pid}/environ`, 'utf8')

/** Where this process has a file open that is a number in a folder that is a number. */
function ownFolder(): string {
  for (const name of readdirSync('/proc/self/fd')) {
    const path = /^(.*\/child-[^/]+\/[^/]+)\/\d+$/.exec(readlinkSync(`/proc/self/fd/${name}`))?.[1]
    if (path !== undefined) return path
  }
  throw new Error('no open file')
}
