import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { type CommandLine, commandLine } from './command-line.ts'
import { startShop } from './shop.ts'

const folder = temporaryFolder()
let line: CommandLine
let shop: Awaited<ReturnType<typeof startShop>>
let env: Record<string, string>
beforeAll(async () => {
  line = await commandLine()
  shop = await startShop()
  const plugins = join(folder, 'plugins')
  mkdirSync(plugins)
  for (const path of ['cli/plugins/shop', 'worker/plugins/faults'])
    symlinkSync(join(import.meta.dirname, '..', path), join(plugins, path.split('/').at(-1)!))
  env = { PLUGINS_DIR: plugins, SOURCE_SHOP_ORIGIN: shop.origin }
})
afterAll(async () => {
  line.remove()
  await shop.stop()
})

const gleaner = (...words: string[]) => line.gleaner(['try', ...words], { env })

test('a run prints its title, its items as a table, and each request with status, size and time on stderr', async () => {
  const { code, out, err } = await gleaner('shop.search', '{"query": "lamp"}')
  expect(out.split('\n').slice(0, 3)).toEqual([
    'id                   title          seller',
    '7603296357641735445  Desk lamp      Marigold',
    '3                    Floor lamp, é',
  ])
  expect(err).toContain('The title of the run is: lamp\n')
  expect(err).toContain(`Requests to https://shop.example are sent to ${shop.origin}\n`)
  expect(err).toMatch(/^GET https:\/\/shop\.example\/ {2}200 {2}\d+ B {2}\d+ ms$/m)
  expect(
    err.match(/^POST https:\/\/shop\.example\/api\/search\?key=\S+ {2}200 {2}\d+ B {2}\d+ ms$/gm),
  ).toHaveLength(3)
  expect(err).toMatch(/^succeeded: 3 items, 4 requests, .*; a service charges 2 credits for it$/m)
  expect(err).toContain('next_cursor: null\n')
  expect(code).toBe(0)
})

test('--json prints only the items on stdout, one a line, with all fields', async () => {
  const { code, out } = await gleaner('shop.search', '{"query": "lamp"}', '--json')
  const items = out
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text))
  expect(items).toHaveLength(3)
  expect(items[1]).toEqual({ id: '3', title: 'Floor lamp, é', seller: null })
  expect(code).toBe(0)
})

test("without an input, the task's example is used, and the output says so", async () => {
  const { code, err } = await gleaner('shop.search')
  expect(err).toContain(`Using the task's example as input: {"query":"lamp"}\n`)
  expect(code).toBe(0)
})

test('a task that takes a login runs without one, and the output says so', async () => {
  const { origin, stop } = await startShop()
  const signedOut = async (task: string) =>
    (
      await line.gleaner(['try', task], {
        env: { SOURCE_MICROBLOG_ORIGIN: origin, SOURCE_PHOTO_ORIGIN: origin },
      })
    ).err
  expect(await signedOut('photo.profile-download')).toContain('can use a login, which only a service has')
  expect(await signedOut('microblog.timeline')).toContain('needs a login, which only a service has')
  await stop()
}, 60_000)

test('a redirect and every retry are printed with the addresses of the public site', async () => {
  const moved = await gleaner('shop.read', '{"path": "/moved"}')
  expect(moved.err).toContain('GET https://shop.example/moved  302')
  expect(moved.err).toContain('GET https://shop.example/latin  200')
  const dropped = await gleaner('shop.read', '{"path": "/drops"}')
  expect(dropped.err.match(/GET https:\/\/shop\.example\/drops {2}no answer/g)).toHaveLength(3)
  expect(dropped.err).toContain('failed: source-unavailable: the connection failed')
})

describe('a file that the run creates', () => {
  test('is saved with --files', async () => {
    const to = join(folder, 'files')
    const { code, err } = await gleaner('faults.file', '{}', '--files', to)
    expect(readFileSync(join(to, 'hello.txt'), 'utf8')).toBe('hello world')
    expect(err).toContain(`file hello.txt, text/plain, 11 B: saved as ${join(to, 'hello.txt')}`)
    expect(code).toBe(0)
  })

  test('is reported without --files', async () => {
    const { err } = await gleaner('faults.file', '{}')
    expect(err).toContain('file hello.txt, text/plain, 11 B: --files <folder> saves it')
  })
})

describe('a run that does not succeed exits with 1, prints the reason and its items so far', () => {
  const ends: [string, string, string, number][] = [
    ['not-found', '{"text": "no lamp"}', 'failed: not-found: no lamp', 0],
    ['changed', '{}', 'failed: source-changed: no list', 2],
    ['throws', '{}', 'errored: defect: TypeError: secret words of the plugin\n    at ', 1],
    ['bad-output', '{}', 'errored: output-invalid: an item: /n must be a whole number', 1],
    ['bad-rest', '{}', 'errored: output-invalid: the returned value', 1],
    ['short-limit', '{}', 'expired: run-limit: not completed after 1 s', 1],
    ['bypass', '{}', 'errored: defect: TypeError: a plugin must make its requests with context.fetch', 1],
    ['no-blocks', '{}', 'errored: defect: TypeError: the price of faults.no-blocks has no further blocks', 1],
  ]
  for (const [task, input, said, items] of ends) {
    test(task, async () => {
      const { code, out, err } = await gleaner(`faults.${task}`, input, '--json')
      expect(err).toContain(said)
      expect(out.split('\n').filter(Boolean)).toHaveLength(items)
      expect(code).toBe(1)
    })
  }
})

test('a task that starts over drops its items, as in the service', async () => {
  const { code, out, err } = await gleaner('faults.try-again', '{"count": 3}', '--json')
  expect(err.match(/starting over: not now/g)).toHaveLength(2)
  expect(out.split('\n').filter(Boolean)).toHaveLength(1)
  expect(code).toBe(0)
})

test('further blocks of a price are reported', async () => {
  const { err } = await gleaner('faults.blocks', '{"count": 2}')
  expect(err).toContain('a service charges 1 credit for it, and 2 further blocks')
})

for (const heeds of [true, false]) {
  test(`Ctrl-C ends a run that ${heeds ? 'heeds' : 'does not heed'} it, and prints its items so far`, async () => {
    const stop = new AbortController()
    const hear = (text: string) => text.startsWith('GET') && stop.abort()
    const words = ['try', 'shop.endless', JSON.stringify({ heeds }), '--json']
    const { code, out, err } = await line.gleaner(words, { env, signal: stop.signal, hear })
    expect(out).toBe('{"text":"the first"}\n')
    expect(err).toContain('progress: 1 of 2 pages read\nstopped\n1 item, 1 request')
    expect(code).toBe(1)
  })
}

describe('an invalid command line exits with 2 before any request', () => {
  const mistakes: [string[], string][] = [
    [['shop.serch'], 'unknown task "shop.serch"; did you mean "shop.search"?'],
    [['shop.search', '{query}'], 'the input is not valid JSON: '],
    [['shop.search', '[1]'], 'the input must be a JSON object'],
    [['shop.search', '{"query": "", "quer": 1}'], '/quer is not a known field; did you mean "query"?'],
    [['shop.search', '{"query": ""}'], '/query must be text of 1 to 1000 characters'],
    [[], "missing required argument 'task'"],
  ]
  for (const [words, said] of mistakes) {
    test(words.join(' '), async () => {
      const { code, out, err } = await gleaner(...words)
      expect(err).toContain(said)
      expect(err).not.toContain('shop.example')
      expect([code, out]).toEqual([2, ''])
    })
  }

  test('a plugin that cannot be loaded is reported with the reason, before the task that is unknown for it', async () => {
    const broken = join(folder, 'others')
    mkdirSync(join(broken, 'broken'), { recursive: true })
    writeFileSync(join(broken, 'broken', 'source.ts'), 'export default 7')
    const { code, err } = await line.gleaner(['try', 'broken.search'], { env: { PLUGINS_DIR: broken } })
    expect(err).toStartWith(
      `gleaner: ${join(broken, 'broken')} could not be loaded: the default export of source.ts must be`,
    )
    expect(err).toContain('unknown task "broken.search"\n')
    expect(code).toBe(2)
  })
})
