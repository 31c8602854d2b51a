/**
 * `gleaner canary` tries tasks with and without a running server, says what is broken or lost its values, and tells it
 * by its exit code.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { endAll } from '../../rigs/servers/processes.ts'
import { addressOf, startServer } from '../../rigs/servers/server.ts'
import { type Site, startSite } from '../../rigs/servers/site.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { readConfig } from '../../src/config.ts'
import { CANARY_ACCOUNT_ID } from '../../src/domain/health/canary.ts'
import { accountStream } from '../../src/domain/ids.ts'
import { openStores } from '../../src/stores.ts'
import { CHANGED, GOOD } from '../health/canary/lamps.ts'
import { commandLineOn } from './command-line.ts'

const WITHOUT_PRICES = GOOD.replaceAll(/"price": \d/g, '"price": null')

const folder = temporaryFolder()
const plugins = join(folder, 'plugins')
let site: Site
let body: string
let held: (() => void) | undefined
let data: string
beforeAll(async () => {
  site = await startSite((_, response) => (held ? held() : response.end(body)))
  mkdirSync(plugins)
  cpSync(join(import.meta.dirname, '../health/canary/plugins/lamps'), join(plugins, 'lamps'), {
    recursive: true,
  })
  const fill = { 'lamps.search': { items: 30, recordings: 3, fields: { title: 1000, price: 1000 } } }
  writeFileSync(join(plugins, 'lamps', 'fill.json'), JSON.stringify(fill))
})
beforeEach(() => {
  body = GOOD
  held = undefined
  data = mkdtempSync(join(folder, 'data-'))
})
afterAll(async () => {
  await endAll()
  await site.stop()
})

const env = () => ({ PLUGINS_DIR: plugins, SOURCE_LAMPS_ORIGIN: site.origin })
const canary = (words: string, options: { readonly signal?: AbortSignal } = {}) =>
  commandLineOn(data).gleaner(`canary ${words}`, { env: env(), ...options })

/** The events of the store. */
async function events(use: { readonly of?: string } = {}) {
  const stores = await openStores(readConfig({ DATA_DIR: data }))
  const all = await stores.log.readAll(null, 1000)
  await stores.close()
  return use.of ? all.filter(({ stream }) => stream === use.of) : all
}

describe('on a folder without data and without a server', () => {
  test('each input has its line: end, items, fill and time', async () => {
    const { code, out, err } = await canary('lamps.search')
    const time = String.raw`\d+\.\d s`
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^TASK +INPUT +END +ITEMS +FILL +TIME$/),
      ...['desk', 'floor', 'wall'].map((title) =>
        expect.stringMatching(new RegExp(`^lamps\\.search +${title} +succeeded +2 +as usual +${time}$`)),
      ),
      '',
    ])
    expect(err).toContain('This process executes the runs.\n')
    expect(err).toMatch(new RegExp(`^lamps\\.search {2}floor {2}succeeded, 2 items, ${time}$`, 'm'))
    expect(code).toBe(0)
  })

  test('the log begins as that of a server, and the account canary has been charged nothing', async () => {
    await canary('lamps.search')
    expect((await events()).slice(0, 3).map(({ type }) => type)).toEqual([
      'AccountOpened',
      'CreditsGranted',
      'KeyCreated',
    ])
    expect((await events({ of: accountStream(CANARY_ACCOUNT_ID) })).map(({ type }) => type)).toEqual([
      'AccountOpened',
    ])
  })

  test('a broken task is repeated once, named, and the exit code is 1', async () => {
    body = CHANGED
    const { code, out, err } = await canary('lamps.search')
    expect(err.match(/source-changed, .*; it is repeated after the others$/gm)).toHaveLength(3)
    expect(err.match(/source-changed, .*, again$/gm)).toHaveLength(3)
    expect(out).toMatch(/^lamps\.search +desk +source-changed, repeated \(bad\) +0 +– /m)
    expect(out).toContain('\nlamps.search is broken: source-changed, also when repeated\n')
    expect(code).toBe(1)
  })

  test('fields with less than half of what is recorded are named, which is no failure: inputs differ', async () => {
    body = WITHOUT_PRICES
    const { code, out } = await canary('lamps.search')
    expect(out).toMatch(/^lamps\.search +desk +succeeded +2 +price 100 % → 0 % /m)
    expect(out).not.toContain('drifts')
    expect(code).toBe(0)
  })

  test('a field that its inputs had before is named as lost, and the exit code is 1', async () => {
    await canary('lamps.search')
    await canary('lamps.search')
    body = WITHOUT_PRICES
    const { code, out } = await canary('lamps.search')
    expect(out).toContain('\nlamps.search drifts: price 100 % → 0 %\n')
    expect(code).toBe(1)
  })

  test('an input that a plugin declares has items: without them it is broken', async () => {
    body = '{"lamps": []}'
    const { code, out } = await canary('lamps.search')
    expect(out).toMatch(/^lamps\.search +floor +succeeded, repeated \(bad\) +0 /m)
    expect(out).toContain('\nlamps.search is broken: no items, also when repeated\n')
    expect(code).toBe(1)
  })

  test('a task that lacks its login is not tried, which is no failure beside others', async () => {
    const { code, out, err } = await canary('lamps.*')
    expect(out).toContain('\nlamps.mine: not tried: needs a login\n')
    expect(err).toContain(
      'people invite you@example.org --account acc_w40fqkg0hg2erg33fbraz4fv5w --role owner\n',
    )
    expect(code).toBe(0)
  })

  test('when nothing was tried, the exit code is 1', async () => {
    const { code, out, err } = await canary('lamps.mine')
    expect(out).toBe('lamps.mine: not tried: needs a login\n')
    expect(err).toContain('gleaner: Nothing was tried.\n')
    expect(code).toBe(1)
  })

  test('--json is for programs', async () => {
    body = WITHOUT_PRICES
    const { tasks } = JSON.parse((await canary('lamps.* --json')).out)
    expect(tasks).toMatchObject([
      { task_key: 'lamps.mine', not_tried: 'needs a login', broken: false, drift: [], runs: [] },
      {
        task_key: 'lamps.search',
        not_tried: null,
        broken: false,
        drift: [],
        runs: [
          {
            input: { query: 'desk' },
            title: 'desk',
            end: 'succeeded',
            items: 2,
            repeated: false,
            bad: false,
          },
          { input: { query: 'floor' }, below: [{ field: 'price', was: 1, now: 0 }] },
          { input: { query: 'wall' } },
        ],
      },
    ])
  })

  test('Ctrl-C cancels the runs', async () => {
    const stop = new AbortController()
    held = () => stop.abort()
    const { code, out, err } = await canary('lamps.search', { signal: stop.signal })
    expect(out).toMatch(/^lamps\.search +desk +cancelled /m)
    expect(err).toContain('Stopped. Runs under way were cancelled.')
    expect(code).toBe(1)
    const types = (await events()).map(({ type }) => type)
    expect(types.filter((type) => type === 'RunRequested')).toHaveLength(1)
    expect(types).toContain('RunCancelled')
  })

  test('a pattern that names no task is refused with the nearest name', async () => {
    const { code, err } = await canary('lamp.search')
    expect(err).toContain('lamp.search names no task; did you mean "lamps.search"?')
    expect(code).toBe(2)
  })
})

test('beside a server, its worker executes the runs', async () => {
  const server = startServer(data, { ...env(), PORT: '0' })
  await addressOf(server)
  const { code, out, err } = await canary('lamps.search')
  expect(err).toContain('The running server executes the runs.\n')
  expect(out).toMatch(/^lamps\.search +wall +succeeded +2 +as usual /m)
  expect(code).toBe(0)
})
