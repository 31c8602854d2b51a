/** The health of tasks, as `/v1/tasks` and its calls show it. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Client, type Ending, OPERATOR_KEY, type Service, startService } from './service.ts'

let service: Service
let client: Client
beforeAll(async () => {
  service = await startService()
  client = await service.openAccount()
})
afterAll(() => service.close())

async function run(path: string, ...endings: readonly Ending[]): Promise<void> {
  for (const ending of endings) {
    const kickoff = await service.post(path, client.key, { query: 'otter' })
    await service.finish(kickoff.headers.get('run-id') ?? '', ending)
  }
  await service.shown()
}

async function healths(): Promise<Record<string, string>> {
  const stranger = await service.openAccount()
  const answer = await service.send('/v1/tasks', { key: stranger.key })
  const { tasks } = (await answer.json()) as { tasks: { task_key: string; health: string }[] }
  for (const task of tasks) {
    const one = await service.send(`/v1/tasks/${task.task_key}`, { key: stranger.key })
    expect((await one.json()) as unknown).toEqual(task)
  }
  return Object.fromEntries(tasks.map(({ task_key, health }) => [task_key, health]))
}

test('the health of a task follows its own recent runs and is the same for every account', async () => {
  const good: Ending = { items: [] }
  const bad: Ending = { status: 'failed', code: 'source-blocked' }
  expect(await healths()).toMatchObject({ 'sample.search': 'unknown', 'sample.shelf': 'unknown' })
  await run('/v1/sample/search', good, { status: 'failed', code: 'not-found' })
  expect(await healths()).toMatchObject({ 'sample.search': 'healthy', 'sample.shelf': 'unknown' })
  await run('/v1/sample_alt/search', bad)
  expect(await healths()).toMatchObject({ 'sample.search': 'degraded' })
  await run(
    '/v1/sample/search',
    { status: 'errored', code: 'defect' },
    { status: 'expired', code: 'run-limit' },
  )
  expect(await healths()).toMatchObject({ 'sample.search': 'broken', 'sample.shelf': 'unknown' })
  await run('/v1/sample/search', good)
  expect(await healths()).toMatchObject({ 'sample.search': 'degraded' })
  service.clock.offset = 25 * 3_600_000
  expect(await healths()).toMatchObject({ 'sample.search': 'unknown' })
  service.clock.offset = 0
})

test('a task says since when it is so, and no time before its first run', async () => {
  const of = async (task: string) => {
    const answer = await service.send(`/v1/tasks/${task}`, { key: client.key })
    const { health, health_since, drift } = (await answer.json()) as Record<string, unknown>
    return { health, health_since, drift }
  }
  await run('/v1/sample/search', { items: [] })
  const stood = await of('sample.search')
  expect(stood).toEqual({ health: 'degraded', health_since: expect.any(String), drift: [] })
  expect(Date.parse(String(stood.health_since))).toBeWithin(Date.now() - 120_000, Date.now() + 1)
  expect(await of('sample.shelf')).toEqual({ health: 'unknown', health_since: null, drift: [] })
})

test('the days of a task are the same for every account, and only the operator sees numbers of runs', async () => {
  const stranger = await service.openAccount()
  const of = async (key: string, path = '/v1/tasks/sample.search/health') =>
    (await (await service.send(path, { key })).json()) as { days: { runs?: number }[] }
  const answer = await of(stranger.key)
  expect(answer).toMatchObject({ task_key: 'sample.search', health: 'degraded', drift: [] })
  const fields = ['blocked', 'day', 'fill', 'items', 'p50_ms', 'success']
  expect(answer.days.length).toBeGreaterThan(0)
  for (const day of answer.days) expect(Object.keys(day).sort()).toEqual(fields)
  const operators = await of(OPERATOR_KEY)
  expect({ ...operators, days: operators.days.map(({ runs: _, ...day }) => day) }).toEqual(answer as never)
  for (const { runs } of operators.days) expect(runs).toBeGreaterThan(0)
  expect(await of(stranger.key, '/v1/tasks/sample.shelf/health')).toEqual({
    task_key: 'sample.shelf',
    health: 'unknown',
    health_since: null,
    drift: [],
    days: [],
  } as never)
})

test.each([
  ['sample.search/health?days=0', 422],
  ['sample.search/health?days=91', 422],
  ['sample.search/health?days=1.5', 422],
  ['sample.search/health?days=90', 200],
  ['nothing.of.this/health', 404],
])('GET /v1/tasks/%s is %i', async (path, status) => {
  expect((await service.send(`/v1/tasks/${path}`, { key: client.key })).status).toBe(status)
})
