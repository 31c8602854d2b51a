/** The status page: who may see it, what it says, and what it never says. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { StoreUnavailable } from '../../../src/log/event-log.ts'
import { type House, startHouse, startRun, to, type Visitor } from '../house.ts'

let closed: House
let open: House
let ann: Visitor
beforeAll(async () => {
  closed = await startHouse()
  open = await startHouse({ env: { STATUS_PAGE: 'public' } })
  ann = await closed.setUp()
})
afterAll(() => Promise.all([closed.close(), open.close()]))

const plain = (page: string) =>
  page
    .slice(page.indexOf('<main'))
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
const statusOf = async (house: House, path: string, headers: Record<string, string> = {}) =>
  house.service.send(path, { headers: { accept: '*/*', ...headers } })

test('a visitor who is not signed in is led to the sign-in and back, unless the page is public', async () => {
  const stranger = closed.visitor()
  const signIn = to(await stranger.send('/status'))
  expect(signIn).toBe('/console/sign-in?next=%2Fstatus')
  const fields = { email: 'ann@example.org', password: 'correct horse battery' }
  expect(to(await stranger.post(signIn, fields))).toBe('/status')
  expect(plain(await stranger.get('/status'))).toContain('No task had a run in the last day')
  expect(plain(await open.visitor().get('/status'))).toContain('No task had a run in the last day')
})

test('programs need a key, or a session, unless the page is public', async () => {
  for (const path of [
    '/status?format=json',
    '/status?format=xml',
    '/status/badge.svg',
    '/status/nothing.svg',
  ]) {
    const refused = await statusOf(closed, path)
    expect([refused.status, (await refused.json()).code]).toEqual([401, 'missing-key'])
  }
  const wrong = await statusOf(closed, '/status?format=json', { authorization: 'Bearer gk_wrong' })
  expect([wrong.status, (await wrong.json()).code]).toEqual([401, 'invalid-key'])
  const key = await closed.service.newKey(closed.accountId, ['runs'])
  const answer = await statusOf(closed, '/status?format=json', { authorization: `Bearer ${key}` })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  expect(answer.headers.get('cache-control')).toBe('private, max-age=10')
  expect((await ann.send('/status?format=json')).status).toBe(200)
  const free = await statusOf(open, '/status?format=json')
  expect([free.status, free.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
})

test('the JSON has all tasks by source, with a state for each of 30 days, and no number', async () => {
  const body = await (await statusOf(open, '/status?format=json')).json()
  const [source] = body.sources
  const task = source.tasks.find((each: { task_key: string }) => each.task_key === 'sample.search')
  expect(body.status).toBe('unknown')
  expect(body.summary).toBe('No task had a run in the last day to judge by.')
  expect([source.source, source.health, task.health]).toEqual(['sample', 'unknown', 'unknown'])
  expect(Object.keys(task).sort()).toEqual(['days', 'drift', 'health', 'health_since', 'task_key', 'title'])
  expect(task.days).toHaveLength(30)
  expect(task.days.at(-1)).toEqual({ day: new Date().toISOString().slice(0, 10), state: 'no-run' })
  expect(JSON.stringify(body)).not.toMatch(/:\d/)
})

test('a public page needs no script, and its address may end with a slash', async () => {
  const page = await open.visitor().get('/status')
  expect(page).not.toContain('<script')
  expect(to(await open.visitor().send('/status/'))).toBe('/status')
})

test('tasks that nobody ran are folded, and keep the places that links lead to', async () => {
  const page = await open.visitor().get('/status')
  expect(page).toMatch(
    /<details class="card status-source"><summary>1 source without a run in the last 30 days/,
  )
  expect(page.indexOf('id="sample.search"')).toBeGreaterThan(page.indexOf('<details'))
})

test('another format is refused, and an unknown badge is 404', async () => {
  const refused = await statusOf(open, '/status?format=xml')
  expect([refused.status, (await refused.json()).errors[0].pointer]).toEqual([422, '/format'])
  for (const name of ['nothing.svg', 'badge', 'sample'])
    expect((await statusOf(open, `/status/${name}`)).status).toBe(404)
})

test('a badge says its label and state, for images on other sites', async () => {
  const texts = { badge: 'sources', sample: 'Sample', 'sample.search': 'Search' }
  for (const [name, label] of Object.entries(texts)) {
    const answer = await statusOf(open, `/status/${name}.svg`)
    const svg = await answer.text()
    expect(answer.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=60')
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(svg).toMatch(/<title>[^<]*: unknown<\/title>/)
    expect(svg.toLowerCase()).toContain(label.toLowerCase())
    expect(svg).not.toMatch(/<script|style=|href=/)
  }
})

test('the page says so while the read models are unavailable', async () => {
  const away = () => Promise.reject(new StoreUnavailable('away'))
  const house = await startHouse({
    env: { STATUS_PAGE: 'public' },
    deps: (deps) => ({
      readModels: { ...deps.readModels, get: away, getMany: away, list: away, count: away } as never,
    }),
  })
  const text = plain(await house.visitor().get('/status'))
  expect(text).toContain('The state of the tasks cannot be read now.')
  const body = await (await statusOf(house, '/status?format=json')).json()
  expect([body.status, body.sources[0].tasks[0].health, body.sources[0].tasks[0].days]).toEqual([
    'unknown',
    'unknown',
    [],
  ])
  await house.close()
})

test('nothing of an account, its inputs or codes is on the page', async () => {
  const run = await startRun(ann, closed, 'a secret otter')
  await closed.service.finish(run, { status: 'failed', code: 'private', detail: 'about otters' })
  const page = plain(await ann.get('/status'))
  const json = await (await ann.send('/status?format=json')).text()
  for (const secret of [run, closed.accountId, 'otter', 'private'])
    expect([page.includes(secret), json.includes(secret)]).toEqual([false, false])
})
