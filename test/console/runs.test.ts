/** Runs on pages: what a person reads about inputs, results and days, and what a viewer is offered. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { loadCatalogue, PLUGINS } from '../../src/catalogue/catalogue.ts'
import { readConfig } from '../../src/config.ts'
import { type House, startHouse, to, type Visitor } from './house.ts'

const DAY_MS = 86_400_000
let house: House
let ann: Visitor
beforeAll(async () => {
  house = await startHouse()
  ann = await house.setUp()
})
afterAll(() => house.close())

async function startRun(query: string, who = ann): Promise<string> {
  const path = to(await who.post(`${house.own}/tasks/sample.search`, { 'in.query': query, by: 'form' }))
  return path.split('/').at(-1)!
}
const textOf = (page: string): string => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
const runPage = async (run: string): Promise<string> => textOf(await ann.get(`${house.own}/runs/${run}`))

describe('an expired result', () => {
  test('is not called an empty one: its page says since when it has expired', async () => {
    const run = await startRun('otter')
    await house.service.finish(run, { items: [{ id: '1' }, { id: '2' }] })
    const { clock } = house.service
    clock.offset += 31 * DAY_MS
    const again = await house.joins('viewer', 'Later')
    const page = textOf(await again.get(`${house.own}/runs/${run}`))
    clock.offset -= 31 * DAY_MS
    expect(page).toMatch(
      /The result expired on \d{4}-\d\d-\d\d [\d:]+ UTC\s?\. Results are kept for 30 days\./,
    )
    expect(page).not.toContain('no items')
    expect(page).not.toContain('Download CSV')
  })
})

describe('"Run again"', () => {
  test('says that the input is lost, and shows no example in its place', async () => {
    const page = await ann.get(`${house.own}/tasks/sample.search?from=run_${'0'.repeat(26)}`)
    expect(page).toContain('The input of this run is no longer stored.')
    expect(page).toMatch(/value="" id="in\.query"/)
    expect(await ann.get(`${house.own}/tasks/sample.search`)).toMatch(/value="otter" id="in\.query"/)
  })

  test('is offered only while the input is stored', async () => {
    const run = await startRun('otter')
    await house.service.finish(run)
    const path = `${house.own}/runs/${run}`
    const before = await ann.get(path)
    expect(before).toContain('Run again with this input (1 credit)')
    expect(before).toContain(`sample.search?from=${run}">Edit the input<`)
    await house.service.deps.artifacts.sweep(Date.now() + 365 * DAY_MS)
    const page = await ann.get(path)
    expect(page).toContain('/tasks/sample.search">New run<')
    expect(page).toContain('The input has expired.')
    expect(page).not.toContain('Run again')
  })
})

describe('a sentence about a run', () => {
  test('is in the singular for one credit, item or report', async () => {
    const run = await startRun('weasel')
    await house.service.finish(run, { status: 'failed', code: 'not-found', detail: 'the connection failed' })
    const page = await runPage(run)
    expect(page).toContain('1 credit was refunded.')
    expect(page).toContain('The connection failed.')
    expect(page).not.toContain('0 items stored')
    expect(page).not.toContain('This run returned no items.')
  })

  test('counts items only where items are counted', async () => {
    const run = await startRun('stoat')
    await house.service.start(run)
    const page = async (done: number, total: number | null, message: string | null, exitChanges?: number) => {
      const command = {
        type: 'progress',
        attempt: 1,
        now: Date.now(),
        leaseS: 30,
        progress: { done, total, message },
        exitChanges,
      }
      await house.service.deps.commands.handle(run as never, command as never, {
        causationId: 'test',
        now: Date.now(),
      })
      return runPage(run)
    }
    const refused = await page(0, null, 'Refused, trying another way out.')
    expect(refused).toContain('So far Refused, trying another way out. Credits')
    expect(refused).toContain('Refused, trying another way out. RunProgressed')
    expect(refused).not.toContain('So far: The source')
    expect(await page(1, null, null)).toContain('So far 1 item Credits')
    const last = await page(2, 3, 'sections `read`')
    expect(last).toContain('So far 2 of 3 sections read Credits')
    expect(last).toContain('sections read after 2 earlier reports')
    await page(0, null, 'Refused, trying another way out.', 1)
    await page(4, null, null)
    expect(await page(5, null, null)).toMatch(
      /trying another way out\..* So far: 5 items after 1 earlier report /,
    )
  })
})

describe('days', () => {
  test('of filters and of the chart are those of the shown times', async () => {
    const { clock } = house.service
    const before = clock.offset
    clock.offset = Date.parse('2031-11-28T14:01:00Z') - Date.now()
    const who = await house.joins('member', 'Kiri')
    const run = await startRun('night', who)
    const list = (day: string) => who.get(`${house.own}/runs?from=${day}&to=${day}`)
    expect(await list('2031-11-28')).toContain(run)
    expect(await list('2031-11-28')).toContain('Days are those of the time zone UTC.')
    who.setCookie('gleaner_zone', 'Pacific%2FAuckland')
    expect(await list('2031-11-29')).toContain(run)
    expect(await list('2031-11-28')).not.toContain(run)
    const credits = await who.get(`${house.own}/credits`)
    expect(credits).toContain('<title>29 Nov 2031: 1 credit</title>')
    expect(credits).toContain('last 30 days (Pacific/Auckland)')
    const path = `${house.own}/keys`
    expect(await who.submit(path, { scopes: ['runs'], expires: '2031-11-30' })).toContain(
      '2031-11-30T10:59:59.999Z',
    )
    clock.offset = before
  })
})

describe('a viewer', () => {
  test('is offered nothing that only members may do', async () => {
    const viewer = await house.joins('viewer', 'Vic')
    const empty = await house.service.openAccount()
    const other = await house.joins('viewer', 'Vera', empty.accountId)
    const paths = [
      '',
      '/tasks',
      '/tasks/sample.search',
      '/runs',
      '/keys',
      '/credits',
      '/logins',
      '/webhooks',
      '/members',
    ]
    const pages = [
      ...paths.map((path) => [viewer, house.own + path] as const),
      ...['', '/runs', '/webhooks'].map((path) => [other, `/console/${empty.accountId}${path}`] as const),
    ]
    for (const [who, path] of pages) {
      const main = (await who.get(path)).split('<main')[1]!
      expect({ path, forms: [...main.matchAll(/<form method="post"/g)].length }).toEqual({ path, forms: 0 })
      for (const words of ['New run', 'Start a run', 'Run for', 'Create a key', 'First steps', 'Send a test'])
        expect({ path, words, isOffered: main.includes(words) }).toEqual({ path, words, isOffered: false })
    }
  })
})

test('a member is offered to revoke the keys that they created, and an owner any key', async () => {
  const member = await house.joins('member', 'Mia')
  await member.submit(`${house.own}/keys`, { name: 'of mia', scopes: ['runs'] })
  await ann.submit(`${house.own}/keys`, { name: 'of ann', scopes: ['runs'] })
  const offers = async (who: Visitor) => {
    const rows = (await who.get(`${house.own}/keys`)).split('<tr>').slice(1)
    const has = (name: string) => rows.find((row) => row.includes(name))?.includes('Revoke')
    return ['of mia', 'of ann'].map(has)
  }
  expect(await offers(member)).toEqual([true, false])
  expect(await offers(ann)).toEqual([true, true])
})

test('descriptions render code instead of showing backticks', async () => {
  const catalogue = await loadCatalogue({ folders: [PLUGINS], config: readConfig({}) })
  const real = await startHouse({ deps: () => ({ catalogue }) })
  const who = await real.setUp()
  const pages = ['', ...catalogue.tasks.map(({ key }) => `/${key}`)]
  for (const path of pages) {
    const page = await who.get(`${real.own}/tasks${path}`)
    // The calls in TypeScript contain template strings.
    expect({ path, text: page.replaceAll(/<pre[\s\S]*?<\/pre>/g, '').includes('`') }).toEqual({
      path,
      text: false,
    })
  }
  await real.close()
})
