/**
 * Tasks that attack the service, like code that a hostile page has injected into a plugin. Each yields 1 for an attack
 * that succeeded and 0 for one that did not.
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
import { type Context, defineSource, defineTask, TryAgain, Type } from 'gleaner/plugin'
import { forge, forgeWithoutEnd } from './forge.ts'

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

/** 1 if an action succeeds, 0 if it throws. */
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

/** Whether `writes-much` has started in this process. */
let hasStarted = false

export default defineSource({
  name: 'hostile',
  title: 'Hostile',
  origin: 'https://hostile.example',
  hosts: [],
  tasks: [
    // The number of runs that this process has executed.
    task('remembers', async function* () {
      yield { n: ++served }
      return DONE
    }),
    // The number of other processes whose environment contains the text.
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
    // Leaves a process behind that has its own session and shares no file with this one.
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
    // Reports a file of the service as its own. It is the first run of its pool.
    task('forges', async function* (_, { text }) {
      yield { n: 1 }
      forge([
        { type: 'file', run: 1, id: 1_000_000, name: 'mine.txt', contentType: 'text/plain', path: text },
      ])
      await sleep(600_000)
      return DONE
    }),
    // Sends a message without an end. It runs in a loop, so that no sign of life interrupts the message.
    task('forges-without-end', async function* () {
      forgeWithoutEnd()
      await sleep(600_000)
      yield { n: 1 }
      return DONE
    }),
    // Reports it with a file number that leads out of its folder.
    task('climbs', async function* (_, { text }) {
      yield { n: 1 }
      forge([{ type: 'file', run: 1, id: text, name: 'mine.txt', contentType: 'text/plain' }])
      await sleep(600_000)
      return DONE
    }),
    // Replaces its own file by a link to another one: symbolic if `count` is 1, else hard.
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
    // Replaces the folder of its run by a link to another folder, and dies.
    task('links-folder', async function* ({ artifact }, { text }) {
      yield { n: 1 }
      await artifact('mine.txt', 'text/plain')
      const at = ownFolder()
      rmSync(at, { recursive: true })
      symlinkSync(text, at)
      process.exit(1)
    }),
    // Logs more than the service's own code lets through.
    task('logs-much', async function* ({ log }, { count }) {
      for (let n = 0; n < count; n++) log('again')
      yield { n: 1 }
      return DONE
    }),
    // Forges more log lines than that code lets through.
    task('forges-lines', async function* (_, { count }) {
      yield { n: 1 }
      for (let n = 0; n < count; n++) forge([{ type: 'log', run: 1, message: 'again', fields: {} }])
      return DONE
    }),
    task('writes-much', async function* ({ artifact }, { count, text }) {
      yield { n: 1 }
      const file = await artifact('much.bin', 'application/octet-stream')
      for (let n = 0; n < count; n++) await file.write(new Uint8Array(1024 * 1024))
      if (text === 'stays') await sleep(600_000)
      await file.close()
      if (text === 'again' && !hasStarted) {
        hasStarted = true
        throw new TryAgain('not now')
      }
      yield { n: 2 }
      return DONE
    }),
  ],
})

const environmentOf = (pid: string): string => readFileSync(`/proc/${pid}/environ`, 'utf8')

/** The folder of this run, found through an open file with a number as its name. */
function ownFolder(): string {
  for (const name of readdirSync('/proc/self/fd')) {
    const path = /^(.*\/child-[^/]+\/[^/]+)\/\d+$/.exec(readlinkSync(`/proc/self/fd/${name}`))?.[1]
    if (path !== undefined) return path
  }
  throw new Error('no open file')
}
