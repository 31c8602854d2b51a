/** A change of a task's health is announced once, whoever judges it, and nothing is read while nothing happens. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { altered } from '../../rigs/support/altered.ts'
import { leaving } from '../../rigs/support/away.ts'
import { type HealthChange, HealthWatch, type HealthWatchOptions } from '../../src/health/watch.ts'
import { type EventLog, StoreUnavailable } from '../../src/log/event-log.ts'
import { type Client, type Ending, OPERATOR_KEY, type Service, startService } from '../http/service.ts'

const HOUR_MS = 3_600_000
const GOOD: Ending = { items: [] }
const BAD: Ending = { status: 'failed', code: 'source-blocked' }

let service: Service
let client: Client
beforeEach(async () => {
  service = await startService()
  client = await service.openAccount()
})
afterEach(() => service.close())

/** Ends runs of `sample.search`, and waits for the read models. */
async function run(...endings: readonly Ending[]): Promise<void> {
  for (const ending of endings) {
    const kickoff = await service.post('/v1/sample/search', client.key, { query: 'otter' })
    await service.finish(kickoff.headers.get('run-id') ?? '', ending)
  }
  await service.shown()
}

/** A watcher as each worker has one, with the changes that it announced as `from>to`. */
function watcher(changed: Partial<HealthWatchOptions> = {}) {
  const changes: HealthChange[] = []
  const watch = new HealthWatch({
    ...service.deps,
    onChanged: (change) => void changes.push(change),
    ...changed,
  })
  return { watch, changes, said: () => changes.map(({ task, from, to }) => `${task.key} ${from}>${to}`) }
}

const announced = async () =>
  (await service.events()).flatMap(({ event, stream, meta }) =>
    event?.type === 'TaskHealthChanged' ? [{ stream, account: meta.account_id, ...event.data }] : [],
  )

test('of several watchers on one log, one announces a change, on the stream of the source', async () => {
  const watchers = [watcher(), watcher(), watcher()]
  await run(BAD, BAD, BAD)
  await Promise.all(watchers.map(({ watch }) => watch.once()))
  await service.shown()
  await Promise.all(watchers.map(({ watch }) => watch.once()))
  const change = { task_key: 'sample.search', from: 'unknown', to: 'broken', drift: [] } as const
  expect(await announced()).toMatchObject([{ stream: 'source-sample', account: 'operator', ...change }])
  expect(watchers.flatMap(({ said }) => said())).toEqual(['sample.search unknown>broken'])
})

test('a task that recovers is announced when an hour has passed, also by a watcher that missed the fault', async () => {
  const { watch, said, changes } = watcher()
  await run(BAD, BAD, BAD)
  await watch.once()
  await service.shown()
  service.clock.offset = 30 * 60_000
  await run(...Array.from({ length: 16 }, () => GOOD))
  const other = watcher()
  await watch.once()
  await other.watch.once()
  expect(await announced()).toHaveLength(1)
  service.clock.offset = HOUR_MS + 30 * 60_000
  await watch.once()
  await other.watch.once()
  await service.shown()
  await other.watch.once()
  expect((await announced()).map(({ from, to }) => `${from}>${to}`)).toEqual([
    'unknown>broken',
    'broken>healthy',
  ])
  expect([...said(), ...other.said()]).toEqual([
    'sample.search unknown>broken',
    'sample.search broken>healthy',
  ])
  // The good runs began earlier than the announcement.
  expect(Date.parse(changes[1]?.since ?? '')).toBeLessThan(Date.now() + HOUR_MS)
})

test('one failed run of a task with few runs is announced to nobody; a second one of the same day is', async () => {
  const { watch, said } = watcher()
  await run(GOOD, BAD)
  await watch.once()
  expect(watch.standings.find(({ task }) => task.key === 'sample.search')?.health).toBe('degraded')
  expect(await announced()).toEqual([])
  await run(GOOD, BAD)
  await watch.once()
  expect(said()).toEqual(['sample.search unknown>degraded'])
})

test('a watcher with an old state of the stream announces what it would otherwise hold for announced', async () => {
  const [one, two] = [watcher(), watcher()]
  await run(BAD, BAD, BAD)
  await one.watch.once()
  await service.shown()
  service.clock.offset = 2 * HOUR_MS
  await run(...Array.from({ length: 16 }, () => GOOD))
  await two.watch.once()
  await service.shown()
  service.clock.offset = 4 * HOUR_MS
  await run(BAD, BAD, BAD)
  await one.watch.once()
  expect((await announced()).map(({ to }) => to)).toEqual(['broken', 'healthy', 'broken'])
  expect(one.said()).toHaveLength(2)
})

test('fields that lose their values are announced with their shares, and shown by the API and to models', async () => {
  const { schema, fields } = service.deps.catalogue.get('sample.search')!
  const filled = (i: number, title: number): Ending => {
    const shares = fields.map((field) => (field === 'title' ? title : 1000))
    return { items: [{ id: String(i) }], ms: 500, fill: { schema, input: hash(i), items: 10, shares } }
  }
  const hash = (i: number) => i.toString(16).padStart(8, '0')
  const day = (title: number) => Array.from({ length: 21 }, (_, i) => filled(i, title))
  const { watch, said, changes } = watcher()
  const noon = 12 * HOUR_MS - (Date.now() % (24 * HOUR_MS))
  for (let days = 0; days < 4; days++) {
    service.clock.offset = noon + (days + 1) * 24 * HOUR_MS
    await run(...day(days < 3 ? 980 : 0))
    await watch.once()
  }
  expect(said()).toEqual(['sample.search unknown>drifting'])
  expect(changes[0]?.drift).toEqual([{ field: 'title', was: 0.98, now: 0 }])
  expect(watch.isDrifting('sample.search')).toBe(true)
  expect(watch.isDrifting('sample.shelf')).toBe(false)

  const get = async (path: string) => (await service.send(path, { key: client.key })).json()
  const stood = {
    health: 'drifting',
    health_since: expect.any(String),
    drift: [{ field: 'title', was: 0.98, now: 0 }],
  }
  expect(await get('/v1/tasks/sample.search')).toMatchObject(stood)
  const { days, ...rest } = (await get('/v1/tasks/sample.search/health?days=2')) as { days: object[] }
  expect(rest).toEqual({ task_key: 'sample.search', ...stood } as never)
  const [before, today] = days as { day: string; fill: Record<string, number> }[]
  expect(days).toHaveLength(2)
  expect([before?.fill.title, today?.fill.title]).toEqual([0.98, 0])
  expect(today).toMatchObject({ success: 1, blocked: 0, items: 10 })
  const params = { name: 'find_tasks', arguments: { query: 'things' } }
  const found = await service.mcp({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, client.key)
  expect(await found.text()).toMatch(/drifting since \d{4}-\d\d-\d\d \(title was filled in 98 %, now 0 %\)/)
})

describe('while nothing happens', () => {
  test('rows are not read, until ends could have become too old to count', async () => {
    let reads = 0
    const { readModels } = service.deps
    const counting = altered(readModels, {
      getMany: (model, keys) => {
        reads++
        return readModels.getMany(model, keys)
      },
    })
    const { watch } = watcher({ readModels: counting })
    await run(GOOD)
    for (let round = 0; round < 5; round++) await watch.once()
    expect(reads).toBe(1)
    service.clock.offset = 5 * 60_000
    await watch.once()
    expect(reads).toBe(2)
    await run(GOOD)
    await watch.once()
    expect(reads).toBe(3)
  })

  test('a task with the announced state costs no look into its stream', async () => {
    let reads = 0
    const { log } = service.deps
    const counting = altered<EventLog>(log, {
      readStream: (...args) => {
        reads++
        return log.readStream(...args)
      },
    })
    const { watch } = watcher({ log: counting })
    await run(BAD, BAD, BAD)
    await watch.once()
    const before = reads
    for (let round = 0; round < 3; round++) {
      await run(BAD)
      await watch.once()
    }
    expect(await announced()).toHaveLength(1)
    expect(reads).toBe(before)
  })
})

describe('while a store is unavailable', () => {
  test('nothing is thrown, the last standings stay, and the change is announced afterwards', async () => {
    let isAway = false
    const { readModels, log } = service.deps
    const { watch, said } = watcher({
      readModels: leaving(readModels, () => isAway),
      log: leaving(log, () => isAway),
    })
    await run(GOOD)
    await watch.once()
    isAway = true
    await run(BAD, BAD, BAD)
    await watch.once()
    expect(watch.standings.find(({ task }) => task.key === 'sample.search')?.health).toBe('healthy')
    isAway = false
    await watch.once()
    expect(said()).toEqual(['sample.search unknown>broken'])
  })

  test('an append whose answer got lost is not repeated', async () => {
    const { log } = service.deps
    let isLost = true
    const losing = altered<EventLog>(log, {
      append: async (...args) => {
        const appended = await log.append(...args)
        if (!isLost) return appended
        isLost = false
        throw new StoreUnavailable('no answer')
      },
    })
    const { watch } = watcher({ log: losing })
    await run(BAD, BAD, BAD)
    await watch.once()
    await watch.once()
    expect(await announced()).toHaveLength(1)
  })
})

test('neither the feed nor the webhooks of an account have events of sources, and the operator sees them', async () => {
  await run(BAD, BAD, BAD)
  await watcher().watch.once()
  await service.shown()
  const feedOf = async (key: string) => {
    const answer = await service.send('/v1/events?types=TaskHealthChanged', { key })
    return ((await answer.json()) as { events: { type: string; subject: string }[] }).events
  }
  expect(await feedOf(client.key)).toEqual([])
  expect(await feedOf(OPERATOR_KEY)).toMatchObject([
    { type: 'gleaner.TaskHealthChanged', subject: 'source-sample', source: '/accounts/operator' },
  ])
  const hook = { url: 'https://example.com/hook', types: ['TaskHealthChanged'] }
  expect((await service.post('/v1/webhooks', client.key, hook)).status).toBe(422)
})
