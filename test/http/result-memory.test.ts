/** What the API reads from the artifact store, and holds, of large results: by lists, and by readers that pause. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { altered } from '../../rigs/support/altered.ts'
import type { Artifacts } from '../../src/artifacts/artifacts.ts'
import { LocalLiveItems } from '../../src/runs/items/live-items.ts'
import { Runs } from '../../src/runs/runs.ts'
import { type Client, type Service, startService } from './service.ts'

const RUNS = 12
/** Socket buffers hold only a small part of such a result. */
const CHARS = 8 * 1024 * 1024

let service: Service
let client: Client
const ids: string[] = []
const loaded = { count: 0 }
/** How many connections were asked to stay open. */
let heldBytes = 0
beforeAll(async () => {
  service = await startService({
    deps: ({ log, artifacts, titles, config, now }) => ({
      runs: new Runs(log, counting(artifacts), titles, new LocalLiveItems(), config.resultRetentionDays, now),
      hold() {
        heldBytes++
        return () => {}
      },
    }),
  })
  client = await service.openAccount()
  for (let n = 0; n < RUNS; n++) {
    const kickoff = await service.post('/v1/sample/search', client.key, { query: 'x' })
    ids.push(kickoff.headers.get('run-id')!)
    const title = String(n % 10).repeat(CHARS)
    await service.finish(ids[n]!, { items: [{ id: String(n), title }] })
  }
  await service.shown()
})
afterAll(() => service.close())

/** Counts the results that are read from the store as a whole. */
const counting = (artifacts: Artifacts): Artifacts =>
  altered(artifacts, {
    get: (ref) => {
      loaded.count++
      return artifacts.get(ref)
    },
  })

test('a list reads no results: it says how many items each has', async () => {
  loaded.count = 0
  const answer = await service.send('/v1/runs', { key: client.key })
  const { runs } = (await answer.json()) as { runs: { run_id: string; result: null; items: number }[] }
  expect(runs.map(({ run_id, result, items }) => [run_id, result, items])).toEqual(
    ids.map((id) => [id, null, 1]).reverse(),
  )
  expect(loaded.count).toBe(0)
})

test('a list has the names of files and the words of a source, also beside a large result', async () => {
  const own = await service.openAccount()
  const kickoff = async () =>
    (await service.post('/v1/sample/search', own.key, { query: 'x' })).headers.get('run-id')!
  const items = [{ id: '1', title: 'x'.repeat(CHARS) }]
  const files = [{ name: 'a.txt', contentType: 'text/plain', body: 'otter' }]
  await service.finish(await kickoff(), { items, files })
  await service.finish(await kickoff(), { items, status: 'failed', code: 'bad-input', detail: 'too long' })
  await service.shown()
  loaded.count = 0
  const answer = await service.send('/v1/runs', { key: own.key })
  const { runs } = (await answer.json()) as { runs: object[] }
  expect(runs).toMatchObject([
    { result: null, error: { code: 'bad-input', detail: 'too long' } },
    { result: null, artifacts: [{ name: 'a.txt', bytes: 5 }] },
  ])
  expect(loaded.count).toBe(0)
})

test.each([
  ['the run: they share it', 1, '', 1],
  ['its items: they read parts', 3, '/items', 0],
] as const)('forty slow readers of one result load it once at most (%s)', async (_, run, part, loads) => {
  loaded.count = 0
  const reader = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const answer = await service.send(`/v1/runs/${ids[run]}${part}`, { key: client.key })
      const body = answer.body!.getReader()
      const { value } = await body.read()
      return { body, value: value! }
    }),
  )
  expect(loaded.count).toBe(loads)
  for (const { body, value } of reader.slice(1)) {
    expect(value.length).toBeLessThan(1024 * 1024 + CHARS * Number(part !== ''))
    await body.cancel()
  }
  let bytes = reader[0]!.value.length
  for (let end = false; !end; ) {
    const { done, value } = await reader[0]!.body.read()
    bytes += value?.length ?? 0
    end = done
  }
  expect(bytes).toBeGreaterThan(CHARS)
  expect(loaded.count).toBe(loads)
})

test('a long answer has its connection held open, since its reader may pause', async () => {
  heldBytes = 0
  const answer = await service.send(`/v1/runs/${ids[2]}`, { key: client.key })
  const body = answer.body!.getReader()
  await body.read()
  expect(heldBytes).toBe(1)
  await body.cancel()
})
