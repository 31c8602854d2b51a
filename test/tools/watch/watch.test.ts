import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import type { Io } from '../../../src/cli/io.ts'
import { runWatch, type WatchArguments } from '../../../tools/watch/watch.ts'
import { type CommandLine, commandLine } from '../../cli/command-line.ts'
import { type LampShop, lamps, SOURCE, startLampShop } from '../lamp-shop.ts'

const folder = temporaryFolder()
let line: CommandLine
let shop: LampShop
beforeAll(async () => {
  line = await commandLine()
  shop = await startLampShop(folder)
  shop.answers.set('/api/lamps', lamps('Desk lamp', 'Floor lamp'))
  shop.answers.set('/api/lights', lamps('Night light'))
})
afterAll(async () => {
  line.remove()
  await shop.stop()
})

const edit = (...[from, to]: [string | RegExp, string]) => {
  const file = join(shop.folder, 'source.ts')
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
}

/** A watch in this process; its runs have processes of their own. */
function watch(options: WatchArguments['options'] = {}, askMs?: number) {
  writeFileSync(join(shop.folder, 'source.ts'), SOURCE)
  shop.requested.length = 0
  const stop = new AbortController()
  let printed = ''
  let waiting = () => {}
  const write = (text: string) => {
    printed += text
    waiting()
  }
  const io: Io = {
    env: { ...shop.env, PATH: process.env.PATH, DATA_DIR: join(folder, 'data') },
    out: write,
    err: write,
    isTerminal: false,
    now: Date.now,
    lines: async function* () {},
    signal: stop.signal,
  }
  const input = options.replay === undefined ? '{"query": "desk"}' : undefined
  const ended = runWatch(io, { key: 'lamps.search', input, options }, askMs === undefined ? {} : { askMs })
  return {
    /** Resolves to what was printed up to this text, after what was read before. */
    async see(text: string): Promise<string> {
      while (!printed.includes(text)) await new Promise<void>((go) => (waiting = go))
      const end = printed.indexOf(text) + text.length
      const seen = printed.slice(0, end)
      printed = printed.slice(end)
      return seen
    },
    async stop() {
      stop.abort()
      await ended
    },
  }
}

test('a save runs the plugin anew on the answers of the first run, and shows what changed', async () => {
  const { see, stop } = watch()
  expect(await see('7.5')).toContain('GET https://www.lamps.example/api/lamps?q=desk  200')
  await see('Floor lamp')
  edit("field.text('title')", "field.text('name')")
  expect(await see('was 100 %\n')).toMatch(
    /source\.ts saved\. Replaying the answers of \d\d:\d\d:\d\d\.\n[\s\S]*2 items\ntitle: a value in 0 % of the items, was 100 %\n$/,
  )
  edit('yield lampOf(lamp)', 'yield lampOf(lamp) // the same')
  await see('2 items: nothing changed\n')
  expect(shop.requested).toEqual(['/api/lamps?q=desk'])
  await stop()
}, 30_000)

test('a plugin that fails or cannot be loaded says where, and the next save mends it, also one in an endless loop', async () => {
  const { see, stop } = watch()
  await see('Floor lamp')
  edit('yield lampOf(lamp)', 'yield lampOf(lamp.no.such)')
  expect(await see('source.ts:')).toContain('ends as defect, before as succeeded')
  edit('yield lampOf(lamp.no.such)', 'yield (')
  expect(await see('unknown task "lamps.search"')).toMatch(
    /lamps could not be loaded: \S+source\.ts:\d+:\d+: /,
  )
  edit('yield (', 'yield lampOf(lamp)')
  await see('ends as succeeded, before as defect\n')
  edit('yield lampOf(lamp)', 'for (;;);')
  await see('Replaying')
  edit('for (;;);', 'yield lampOf(lamp)')
  await see('2 items: nothing changed\n')
  await stop()
}, 30_000)

describe('the site is asked', () => {
  test('with answers to be kept only for a request that they lack, when the last time is long enough ago', async () => {
    const { see, stop } = watch({ keep: true }, 1)
    await see('Floor lamp')
    edit("'title'", "'name'")
    await see('a value in 0 % of the items')
    edit('/api/lamps', '/api/lights')
    await see('no exchange for GET https://www.lamps.example/api/lights?q=desk')
    await see('The site is asked again at ')
    await see('1 item, was 2\n')
    expect(shop.requested).toEqual(['/api/lamps?q=desk', '/api/lights?q=desk'])
    await stop()
  }, 30_000)

  test('at a save when the last time is long enough ago', async () => {
    const { see, stop } = watch({}, 1)
    await see('Floor lamp')
    edit("'title'", "'title '")
    await see('a value in 0 % of the items')
    expect(shop.requested).toHaveLength(2)
    await stop()
  }, 30_000)

  test('never with a cassette to replay', async () => {
    const exchanges = [{ request: '/api/lamps', json: lamps('Old lamp') }]
    const replay = shop.cassette('old.json', { task: 'lamps.search', input: { query: 'x' }, exchanges })
    const { see, stop } = watch({ replay }, 1)
    await see('Old lamp')
    edit('/api/lamps', '/api/lights')
    await see('no exchange for GET https://www.lamps.example/api/lights?q=x')
    expect(shop.requested).toEqual([])
    await stop()
  }, 30_000)
})

describe('wrong arguments are refused', () => {
  const cases: [words: string[], said: string][] = [
    [['lamps.serch', '--watch'], 'unknown task "lamps.serch"'],
    [['lamps.search', '{}', '--watch'], 'invalid input'],
    [['lamps.search', '--keep', '--replay', 'x.json'], '--replay does not go with --keep'],
    [['lamps.search', '{}', '--replay', 'x.json'], '--replay does not go with an input'],
    [['lamps.search', '--replay', 'nowhere.json'], 'nowhere.json cannot be read as a cassette'],
    [['lamps.search', '--watch', '--files', 'x'], '--files does not go with --watch'],
  ]
  for (const [words, said] of cases)
    test(words.join(' '), async () => {
      const { code, err } = await line.gleaner(['try', ...words], { env: shop.env })
      expect(err).toContain(said)
      expect(code).toBe(2)
    })
})
