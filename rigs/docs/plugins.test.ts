/** Runs the commands of docs/plugins.md in order, from an empty folder to a source that runs. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readCassette } from '../../src/plugin/testing.ts'
import { guideFiles, LAMPS } from '../../test/plugin/guide.ts'
import { type MockSites, startMockSites } from '../../tools/mock-sites/server.ts'
import { endAll, type Running, signalGroup, start } from '../servers/processes.ts'
import { addressOf, folder, KEY, ROOT } from '../servers/server.ts'
import { blocksOf } from './blocks.ts'

const BLOCKS = blocksOf('docs/plugins.md', 'sh')
const [BEGIN = '', DEMO = '', TRY = '', RECORD = '', TEST = '', START = '', CALL = ''] = BLOCKS
const [REPAIR = '', CHECK = ''] = BLOCKS.filter((block) => block.includes('-- repair '))
const [REFRESH = ''] = BLOCKS.filter((block) => block.includes('--refresh '))
const [SHELL = ''] = BLOCKS.filter((block) => block.includes('-- shell '))
const [WATCH = ''] = BLOCKS.filter((block) => block.includes('--watch'))
const LINK = BLOCKS.at(-1) ?? ''

const data = folder()
const sources = join(data.path, 'sources')
let shop: MockSites
let env: Record<string, string>
beforeAll(async () => {
  shop = await startMockSites({ families: new Map([['lamps', LAMPS]]) })
  // The reader's exported variables, and the shop, because no such site exists.
  env = { PLUGINS_DIR: sources, SOURCE_LAMPS_ORIGIN: shop.originOf('lamps'), PORT: '0', DATA_DIR: data.path }
})
afterAll(async () => {
  await endAll()
  await shop.stop()
  data.remove()
})

type Ran = { readonly code: number | null; readonly out: string; readonly err: string }

/** Runs a block in a shell, with this test's folder in place of the home folder. */
function type(block: string, variables: Record<string, string> = env): Promise<Ran> {
  const child = spawn('sh', ['-e', '-c', block.replaceAll('~/', `${data.path}/`)], {
    cwd: ROOT,
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.err += text))
  return new Promise((ended, failed) => {
    child.on('error', failed).on('close', (code) => ended({ code, ...printed }))
  })
}

/** Starts a command that runs until Ctrl-C. */
const begin = (block: string, variables: Record<string, string>): Running => {
  const [program = '', ...words] = block.trim().split(' ')
  return start(program, words, { cwd: ROOT, env: { ...env, ...variables } })
}

const cassette = () => readCassette(pathToFileURL(join(sources, 'lamps/fixtures/search.json')))

test('each block for a shell is counted here', () => {
  expect(BLOCKS.length).toBe(13)
})

test('new-source writes a source whose test passes', async () => {
  const { code, out, err } = await type(BEGIN, { PLUGINS_DIR: '' })
  expect([code, err]).toEqual([0, expect.stringContaining(' 0 fail')])
  for (const file of ['source.ts', 'source.test.ts', 'README.md', 'fixtures/search.json'])
    expect(out).toContain(join(sources, 'lamps', file))
}, 60_000)

test('the demo serves the new source', async () => {
  const demo = begin(DEMO, { SOURCE_LAMPS_ORIGIN: '' })
  const [, url = '', key = ''] = await demo.says(/export GLEANER_URL=(\S+)\nexport GLEANER_API_KEY=(\S+)\n/)
  const [line = ''] = await demo.says(/^curl .*\/v1\/lamps\/search.*$/m)
  const run = JSON.parse((await type(line, { GLEANER_URL: url, GLEANER_API_KEY: key })).out)
  expect(run.run_status).toBe('succeeded')
  expect(run.result.items.map(({ title }: { title: string }) => title)).toEqual([
    'Desk lamp',
    'Writing desk',
    'Desk drawer',
  ])
  demo.child.kill('SIGINT')
  expect((await demo.ended).code).toBe(0)
}, 60_000)

test('try runs the source, edited as in the guide, on its site', async () => {
  for (const { path, code } of guideFiles()) writeFileSync(join(sources, path), code)
  const { code, out, err } = await type(TRY)
  expect(out).toContain(
    'id  title   url                                price  currency  description\n' +
      '1   Lamp 1  https://www.lamps.example/lamps/1  1.5    GBP       Bright & bendable\n',
  )
  expect(err).toContain('succeeded: 5 items, 2 requests')
  expect(code).toBe(0)
}, 60_000)

test('record replaces the sample answers with recorded ones', async () => {
  expect(cassette().note).toBe('Sample data.')
  const { code, err } = await type(RECORD)
  expect(err).toContain('Replayed, it gives the same: 5 items')
  expect(code).toBe(0)
  expect(cassette().note).toStartWith('Recorded on ')
  expect(cassette().exchanges.map(({ request }) => request)).toEqual([
    'GET /api/search?q=desk&sort=relevance&page=1',
    'GET /api/search?q=desk&sort=relevance&page=2',
  ])
}, 60_000)

test('the test of the source passes on the recorded answers', async () => {
  const { code, err } = await type(TEST)
  expect([code, err]).toEqual([0, expect.stringContaining(' 3 pass')])
}, 60_000)

test('the service runs the task of the source', async () => {
  const server = begin(START, { BOOTSTRAP_KEY: KEY, LOG_LEVEL: 'warn' })
  const address = await addressOf(server)
  const { out } = await type(CALL.replace('http://127.0.0.1:3000', address), { GLEANER_API_KEY: KEY })
  expect(JSON.parse(out)).toMatchObject({
    run_status: 'succeeded',
    credits: { charged: 2, refunded: 0 },
    result: { items: [1, 2, 3, 4, 5].map((id) => ({ id: String(id) })), next_cursor: null, total: 5 },
  })
}, 60_000)

/** The block of output in the guide that has these words. */
const shownWith = (words: string) =>
  blocksOf('docs/plugins.md', 'text').find((block) => block.includes(words)) ?? words

test('record --refresh shows the field that the shop has renamed, and keeps the recording', async () => {
  const renamed = JSON.parse(JSON.stringify(LAMPS).replaceAll('"amount"', '"value"')) as typeof LAMPS
  const newShop = await startMockSites({ families: new Map([['lamps', renamed]]) })
  const recorded = cassette()
  const { code, out } = await type(REFRESH, { ...env, SOURCE_LAMPS_ORIGIN: newShop.originOf('lamps') })
  await newShop.stop()
  expect(out).toContain(shownWith('kept: price'))
  expect(code).toBe(1)
  expect(cassette()).toEqual(recorded)
  expect(await type(REFRESH)).toMatchObject({
    code: 0,
    out: expect.stringContaining('the same: dated today'),
  })
}, 60_000)

test('the shell prints the lines that read what it finds', async () => {
  const [entry = '', ...lines] = shownWith("paths('amount')").trimEnd().split('\n')
  const { code, out } = await type(`echo "${entry.slice(2)}" | ${SHELL}`)
  expect(out).toContain(lines.join('\n'))
  expect(code).toBe(0)
}, 60_000)

test('try --watch runs until Ctrl-C', async () => {
  const [program = '', ...words] = WATCH.trim().split(/ (?=(?:[^']*'[^']*')*[^']*$)/)
  const watch = start(
    program,
    words.map((word) => word.replaceAll("'", '')),
    { cwd: ROOT, env },
  )
  await watch.says(/^1 {3}Lamp 1/m)
  signalGroup(watch.pid, 'SIGINT')
  // Once none of its processes has its output open any more.
  await watch.ended
}, 60_000)

test('repair finds the field that the shop has renamed, and accepts the parser once it reads both names', async () => {
  const renamed = JSON.parse(JSON.stringify(LAMPS).replaceAll('"amount"', '"value"')) as typeof LAMPS
  const newShop = await startMockSites({ families: new Map([['lamps', renamed]]) })
  const here = (block: string) => block.replaceAll('lamps-repair', join(data.path, 'lamps-repair'))
  const written = await type(here(REPAIR), { ...env, SOURCE_LAMPS_ORIGIN: newShop.originOf('lamps') })
  await newShop.stop()
  expect(written).toMatchObject({
    code: 0,
    err: expect.stringContaining('There is no capture of lamps.search'),
  })
  const text = readFileSync(join(data.path, 'lamps-repair', 'README.md'), 'utf8')
  const [SHOWN = ''] = blocksOf('docs/plugins.md', 'text').filter((block) => block.startsWith('gone: '))
  for (const line of SHOWN.split('\n')) expect(text).toContain(line)
  expect((await type(here(CHECK))).code).toBe(1)
  const file = join(sources, 'lamps/source.ts')
  const [MENDED = ''] = blocksOf('docs/plugins.md', 'ts').filter((block) => block.includes("'price.value'"))
  writeFileSync(file, readFileSync(file, 'utf8').replace("  price: field.number('price.amount'),\n", MENDED))
  expect((await type(here(CHECK))).code).toBe(0)
}, 60_000)

test('the link for a container leads to the project in the image', async () => {
  expect(await type(LINK)).toEqual({ code: 0, out: '', err: '' })
  const project = readlinkSync(join(sources, 'node_modules', 'gleaner'))
  expect(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')).toMatch(
    new RegExp(`WORKDIR ${project}\nCOPY --from`),
  )
})
