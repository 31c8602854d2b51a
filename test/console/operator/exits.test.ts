/** Operators see what runs met at each exit by day, and which exits rest, but never the URL of a proxy. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { dayLabel } from '../../../src/console/components/dates.ts'
import { DAY_MS, dayOf } from '../../../src/ephemeral/exit-days.ts'
import { StoreUnavailable } from '../../../src/log/event-log.ts'
import { Exits } from '../../../src/net/exits/exits.ts'
import { type House, startHouse, type Visitor } from '../house.ts'

const EXITS = '/console/operator/exits'
const MARKER = 'password-marker'
const NONE = { runs: 1, blocked: 0, failed: 0, requests: 2, bytes: 1_500_000 }

let house: House
let ann: Visitor
let today: string
let yesterday: string

beforeAll(async () => {
  house = await startHouse({
    env: {
      PROXY_HOME: `http://user:${MARKER}@a.example:1 http://user:${MARKER}@b.example:2 http://u-{session}:${MARKER}@c.example:3`,
      SOURCE_SAMPLE_PROXY: 'home',
      SOURCE_FORUM_PROXY: 'home',
    },
  })
  ann = await house.setUp()
  const { now, ephemeral, config, logger } = house.service.deps
  today = dayOf(now())
  yesterday = dayOf(now() - DAY_MS)
  const { exitDays, exitRests: rests } = ephemeral
  for (let i = 0; i < 3; i++) exitDays.count('home#1', 'sample', NONE, now())
  exitDays.count('home#1', 'sample', { ...NONE, blocked: 1 }, now())
  exitDays.count('home#10', 'sample', { ...NONE, failed: 1, requests: 0, bytes: 0 }, now())
  exitDays.count('home#2', 'forum', NONE, now() - DAY_MS)
  const exits = new Exits({ config, rests, now, logger })
  await exits.ended({ label: 'home#1', number: 1 }, 'sample', 'blocked')
  await exits.ended({ label: 'home#1', number: 1 }, 'forum', 'refused')
  await exits.ended({ label: 'home#2', number: 2 }, 'sample', 'unreachable')
})
afterAll(() => house.close())

async function shown(query = ''): Promise<string> {
  const html = await ann.get(`${EXITS}${query}`)
  expect(html).not.toMatch(new RegExp(`${MARKER}|[abc]\\.example`))
  return html
    .slice(html.indexOf('<main'))
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&#60;', '<')
    .replace(/\s+/g, ' ')
}

test('the exits have their shares, requests and bytes, in the order of their numbers', async () => {
  const text = await shown()
  expect(text).toMatch(
    /Exit Runs Blocked Failed Requests Traffic home#1 4 25 % – 8 6.0 MB home#2 1 – – 2 1.5 MB home#10 1 – 100 % 0 0 bytes /,
  )
  expect(text).toContain(`${dayLabel(today)} 5 20 % 20 % 8 6.0 MB ${dayLabel(yesterday)} 1 – – 2 1.5 MB`)
})

test('a day has its exits, and an exit its sources and days', async () => {
  const ofDay = await shown(`?day=${yesterday}`)
  expect(ofDay).toMatch(/Requests Traffic home#2 1 – – 2 1.5 MB By day/)
  const ofExit = await shown('?exit=home%232')
  expect(ofExit).toMatch(/Source Runs Blocked Failed Requests Traffic forum 1 – – 2 1.5 MB By day/)
  expect(ofExit).not.toContain(`${dayLabel(today)} 5`)
  expect(await shown('?exit=nobody')).toContain('No run made a request.')
})

test('the ways out have their numbers of exits and their sources', async () => {
  const text = await shown()
  expect(text).toMatch(/home 2 proxies, 1 gateway with sessions Sample/)
  expect(text).toMatch(/direct none /)
})

test('the page of a source names its way out', async () => {
  const html = await ann.get('/console/operator/sources/sample')
  expect(html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')).toContain('Way out home ')
  expect(html).toContain(`href="${EXITS}"`)
})

test('exits rest for the source that blocked them or to which they do not lead, or for all', async () => {
  const text = await shown()
  expect(text).toMatch(/home#2 All sources Unreachable: the exit itself failed 1 min \d{4}-/)
  expect(text).toMatch(/home#1 forum Refused: it did not connect to the source 1 min \d{4}-/)
  expect(text).toMatch(/home#1 Sample Blocked by the source 10 min \d{4}-/)
})

test('the page works while its store is unavailable', async () => {
  const { exitDays } = house.service.deps.ephemeral
  const { days } = exitDays
  exitDays.days = () => Promise.reject(new StoreUnavailable('away'))
  expect(await shown()).toContain('The store of these figures is unavailable.')
  exitDays.days = days
})

test('it is for operators alone', async () => {
  const member = await house.joins('owner', 'Mia')
  expect((await member.send(EXITS)).status).toBe(404)
})
