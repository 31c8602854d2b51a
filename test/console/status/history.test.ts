/** Pages of health with months of runs of all tasks. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { historyOf, withHistory } from '../../../rigs/support/health-history.ts'
import { loadCatalogue, PLUGINS } from '../../../src/catalogue/catalogue.ts'
import { readConfig } from '../../../src/config.ts'
import { type House, startHouse, type Visitor } from '../house.ts'

const catalogue = await loadCatalogue({ folders: [PLUGINS], config: readConfig({}) })
const LOST = { task: 'forum.posts', field: 'author', days: 2 }

let house: House
let ann: Visitor
beforeAll(async () => {
  const history = historyOf(catalogue.tasks, {
    now: Date.now(),
    days: 31,
    runs: 20,
    lost: LOST,
    broken: 'marketplace.search',
  })
  house = await startHouse({
    env: { STATUS_PAGE: 'public' },
    deps: (deps) => ({ catalogue, readModels: withHistory(deps.readModels, history) }),
  })
  ann = await house.setUp()
}, 60_000)
afterAll(() => house.close())

const plain = (page: string) => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')

test('the status says which fields are empty since when, and which runs fail', async () => {
  const text = plain(await house.visitor().get('/status'))
  expect(text).toMatch(/2 tasks of \d+ have problems/)
  expect(text).toMatch(/Forum posts drifting Some fields have been empty since [^:]+ : author\./)
  expect(text).toMatch(/Marketplace search broken The last three runs failed\. It has been broken since/)
})

test('the page of a source shows fields, days and times', async () => {
  const text = plain(await ann.get('/console/operator/sources/forum'))
  expect(text).toMatch(/Field Usual Last runs author \d+% 0%/)
  expect(text).toContain('Runs by day (UTC): 600 in all, 20 at most')
  expect(text).toMatch(/Median time by day \(UTC\): \d+ ms at most/)
  expect(text).toMatch(/Fields: 1 of \d+ lower than usual/)
  expect(text).toMatch(/Fields: \d+, as usual/)
})

test('a task that drifts names the next step, and shows a failure of before folded', async () => {
  const page = await ann.get('/console/operator/sources/forum')
  expect(plain(page)).toContain('npm run gleaner -- repair forum.posts')
  expect(page.match(/gleaner -- repair/g)).toHaveLength(1)
  expect(page).toMatch(/<details><summary>Last failure/)
})

test('a task that the canary does not try says why', async () => {
  const [needing] = catalogue.tasks.filter(({ declaration }) => declaration.needs?.login === true)
  const text = plain(await ann.get(`/console/operator/sources/${needing!.source.name}`))
  expect(text).toContain('Canary: not tried, needs a login.')
})

test('the list of sources names missing fields', async () => {
  const text = plain(await ann.get('/console/operator/sources'))
  expect(text).toMatch(/Forum \(Reddit\) drifting empty: author 1 drifting, 6 healthy/)
})

test('a task says so to accounts', async () => {
  const text = plain(await ann.get(`${house.own}/tasks/forum.posts`))
  expect(text).toMatch(/drifting Some fields have been empty since [^:]+ : author\./)
  expect(plain(await ann.get(`${house.own}/tasks?source=forum`))).toMatch(/Some fields have been empty since/)
})

test('the home page of an account says so of the tasks that it uses', async () => {
  const json = JSON.stringify(catalogue.get('forum.posts')!.declaration.example)
  const run = { by: 'json', json, idempotency_key: 'home' }
  expect((await ann.post(`${house.own}/tasks/forum.posts`, run)).status).toBe(303)
  await house.service.shown()
  expect(plain(await ann.get(house.own))).toContain('Forum posts drifting some fields are empty: author')
})

test('no page of months of runs of all tasks has 200 kB', async () => {
  const sources = catalogue.sources.map(({ name }) => `/console/operator/sources/${name}`)
  for (const path of ['/status', '/status?format=json', '/console/operator/sources', ...sources])
    expect({ path, isSmall: (await ann.get(path)).length < 200_000 }).toEqual({ path, isSmall: true })
})
