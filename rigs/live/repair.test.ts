/** A source changes, a run of a real service fails and leaves its answers, and the parser is mended with them. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LampShop, lamps, SOURCE, startLampShop } from '../../test/tools/lamp-shop.ts'
import { endAll, start, until } from '../servers/processes.ts'
import { addressOf, client, folder, KEY, OPERATOR_KEY, ROOT, startServer } from '../servers/server.ts'

const data = folder()
const plugins = folder()
const repair = join(data.path, 'repair')
let shop: LampShop
let call: ReturnType<typeof client>
let address: string
beforeAll(async () => {
  shop = await startLampShop(plugins.path)
  shop.answers.set('/api/lamps', lamps('Desk lamp', 'Floor lamp', 'Reading lamp'))
  shop.cassette('search.json', {
    task: 'lamps.search',
    input: { query: 'desk' },
    exchanges: [{ request: '/api/lamps?q=desk', json: lamps('Desk lamp', 'Writing lamp') }],
  })
  address = await addressOf(startServer(data.path, shop.env))
  call = client(address, KEY)
}, 60_000)
afterAll(async () => {
  await endAll()
  await shop.stop()
  data.remove()
  plugins.remove()
})

/** Runs a command without the site: its address is not that of a server. */
async function gleaner(...words: string[]) {
  const env = { ...shop.env, DATA_DIR: data.path, SOURCE_LAMPS_ORIGIN: 'http://127.0.0.1:9' }
  const command = start(process.execPath, ['src/main.ts', ...words], { cwd: ROOT, env })
  const { code } = await command.ended
  return { code, ...command.printed }
}

const check = () => gleaner('repair', 'lamps.search', '--check', repair)

type Edit = readonly [from: string, to: string]

/** The parser as it was, with changes. */
function parser(...edits: readonly Edit[]): void {
  let text = SOURCE
  for (const [from, to] of edits) {
    expect(text).toContain(from)
    text = text.replace(from, to)
  }
  writeFileSync(join(shop.folder, 'source.ts'), text)
}

const ID = `field.id('id')`
const PRICE = `field.number('price.amount')`

test('a run that fails leaves its answers, from which repair writes a folder', async () => {
  const run = () => call('/v1/lamps/search', { query: 'reading', _run: { async: false } })
  expect((await run()).body.run_status).toBe('succeeded')
  const changed = JSON.stringify(lamps('Desk lamp', 'Floor lamp', 'Reading lamp'))
    .replaceAll('"id"', '"key"')
    .replaceAll('"amount"', '"value"')
  shop.answers.set('/api/lamps', JSON.parse(changed))
  const failed = await run()
  expect(failed.body.error.code).toBe('source-changed')
  await until(async () => {
    const { body } = await client(address, OPERATOR_KEY)('/v1/events?limit=500')
    return JSON.stringify(body).includes('CaptureStored')
  })
  const { code, out, err } = await gleaner('repair', 'lamps.search', '--to', repair)
  expect([code, out]).toEqual([0, `${repair}\n`])
  expect(err).toContain(`repair lamps.search --check ${repair}\n`)
  const text = readFileSync(join(repair, 'README.md'), 'utf8')
  expect(text).toContain(`The run is ${failed.body.run_id} (capture cap_`)
  expect(text).toContain('> a lamp has no id\n')
  expect(text).toMatch(
    /gone: lamps\[\]\.id \(number\); its new name may be lamps\[\]\.key {2}<- source\.ts:\d/,
  )
  expect(text).toMatch(/gone: lamps\[\]\.price\.amount .*lamps\[\]\.price\.value {2}<- source\.ts:\d/)
}, 60_000)

test('the parser as it was is not accepted, nor one that loses a field, nor one that breaks the old recording', async () => {
  const lacks = async (...edits: readonly Edit[]) => {
    parser(...edits)
    const { code, out } = await check()
    return [code, out.split('\n').slice(1).join('\n').replace(/ +/g, ' ')]
  }
  expect(await lacks()).toEqual([1, 'capture.json succeeds source-changed: a lamp has no id\n'])
  expect(await lacks([ID, `field.id(['id', 'key'])`])).toEqual([
    1,
    'capture.json, price a value in 50 % of items (usually 100 %) 0 % of 3\n',
  ])
  expect(await lacks([ID, `field.id('key')`], [PRICE, `field.number('price.value')`])).toEqual([
    1,
    'fixtures/search.json gives what it gave before source-changed: a lamp has no id\n',
  ])
}, 60_000)

test('a parser that reads both is accepted, and the capture becomes a test that passes', async () => {
  parser([ID, `field.id(['id', 'key'])`], [PRICE, `field.number(['price.amount', 'price.value'])`])
  const { code, out, err } = await check()
  expect([code, out]).toEqual([0, 'accepted: 2 checks hold\n'])
  const [, id = ''] = /-- captures save (cap_\w+)\n/.exec(err) ?? []
  const saved = await gleaner('captures', 'save', id)
  expect([saved.code, saved.err]).toEqual([0, expect.stringContaining('it is tested from now on')])
  const tests = start(process.execPath, ['test', shop.folder])
  expect(await tests.ended).toMatchObject({ code: 0 })
  const again = await gleaner('repair', 'lamps.search', '--to', `${repair}-again`)
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('there is nothing to repair')])
}, 60_000)
