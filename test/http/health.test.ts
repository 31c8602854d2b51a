/** `health` of tasks, as `/v1/tasks` shows it. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Client, type Ending, type Service, startService } from './service.ts'

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
