/** The days of tasks: what a day counts, how many are kept, and that a rebuild gives the same rows on every store. */
import { afterEach, describe, expect, test } from 'bun:test'
import { health } from '../../projections/health.ts'
import { dayOf, healthDays, KEPT_DAYS } from '../../projections/health-days.ts'
import { hasRedis, redisServers } from '../../rigs/servers/redis.ts'
import type { DomainEvent, EventData } from '../../src/domain/events.ts'
import { CANARY_ACCOUNT_ID } from '../../src/domain/health/canary.ts'
import { type AccountId, runStream, sourceStream } from '../../src/domain/ids.ts'
import { append, envelop } from '../../src/log/execute.ts'
import type { Projection, ReadModels } from '../../src/read/read-models.ts'
import { rebuild } from '../../src/read/rebuild.ts'
import { RedisReadModels } from '../../src/read/redis/read-models.ts'
import { openRedis, type RedisConnection } from '../../src/redis/connection.ts'
import { accountId, runId } from './history.ts'
import { workshop } from './projecting.ts'

const { newFile, openLog, openModels } = workshop()
const DAY_MS = 86_400_000
const START = Date.parse('2026-01-01T00:00:00Z')
const TASK = 'forum.search'
const BOTH = [health, healthDays] as unknown as readonly Projection[]

const ended = (n: number, more: Partial<EventData<'RunSucceeded'>> = {}): DomainEvent => ({
  type: more.code ? 'RunFailed' : 'RunSucceeded',
  data: { run_id: runId(n), task_key: TASK, code: null, charged: 1, refunded: 0, ...more },
})
const filled = (input: string, items: number, ...shares: (number | null)[]) => ({
  schema: '5be1c0a7',
  input: input.padStart(8, '0'),
  items,
  shares,
})

/** A log with ends of runs, and the rows of both models from a rebuild. */
async function logOf(
  write: (end: (ms: number, event: DomainEvent, account?: AccountId) => Promise<void>) => Promise<void>,
) {
  const log = openLog()
  let changes = -1
  await write(async (ms, event, account = accountId(1)) => {
    const { data } = event
    const isRun = 'run_id' in data
    const events = envelop([event], {
      accountId: account,
      correlationId: 'r',
      causationId: 'r',
      now: START + ms,
    })
    const stream = isRun ? runStream(data.run_id as never) : sourceStream('forum')
    await append(log, stream, isRun ? -1 : changes++, events)
  })
  return log
}

const days = (models: ReadModels) =>
  models.list(healthDays, 'by_task', { equals: [TASK], order: 'ascending', limit: 1000 })

/** All rows of a task as they are stored. */
const textOf = async (models: ReadModels): Promise<string> =>
  JSON.stringify([await models.get(health, TASK), await days(models)])

async function rebuilt(log: ReturnType<typeof openLog>, models = openModels(newFile())): Promise<ReadModels> {
  await rebuild(log, models, BOTH)
  return models
}

test('a day counts ends by code, those that count for health, times, items and the shares of fields', async () => {
  const log = await logOf(async (end) => {
    await end(0, ended(1, { ms: 100, fill: filled('a', 4, 1000, 500, null) }))
    await end(1, ended(2, { ms: 200, fill: filled('b', 10, 1000, 0, 250) }))
    await end(2, ended(3, { ms: 300, fill: filled('b', 0) }))
    await end(3, ended(4, { code: 'source-blocked', ms: 40 }))
    await end(4, ended(5, { code: 'not-found' }))
    await end(5, ended(6, { code: 'queue-limit' }))
  })
  const [row, ...others] = await days(await rebuilt(log))
  expect(others).toEqual([])
  expect(row).toMatchObject({
    task_key: TASK,
    day: dayOf('2026-01-01T00:00:00Z'),
    runs: 6,
    ends: { succeeded: 3, 'source-blocked': 1, 'not-found': 1, 'queue-limit': 1 },
    telling: 5,
    good: 4,
    items: { 0: 1, 4: 1, 10: 1 },
    fill: { schema: '5be1c0a7', counts: [2, 2, 1], sums: [2000, 500, 250] },
    canary: null,
  })
  expect(Object.values(row!.ms).reduce((sum, count) => sum + count, 0)).toBe(4)
})

test('another version of the plugin starts the shares of the day anew', async () => {
  const log = await logOf(async (end) => {
    await end(0, ended(1, { fill: filled('a', 4, 1000, 1000) }))
    await end(1, ended(2, { fill: { ...filled('a', 4, 500), schema: 'ffffffff' } }))
  })
  const [row] = await days(await rebuilt(log))
  expect(row?.fill).toEqual({ schema: 'ffffffff', counts: [1], sums: [500] })
})

test('a bad end of the canary counts with its bad repeat, once, and the last one is kept', async () => {
  const log = await logOf(async (end) => {
    await end(0, ended(1, { code: 'source-changed' }), CANARY_ACCOUNT_ID)
    await end(600_000, ended(2, { code: 'source-changed' }), CANARY_ACCOUNT_ID)
  })
  const models = await rebuilt(log)
  const canary = {
    at: new Date(START + 600_000).toISOString(),
    good: false,
    code: 'source-changed',
    pending: false,
  }
  expect((await days(models))[0]).toMatchObject({ runs: 2, telling: 1, good: 0, canary })
  expect(await models.get(health, TASK)).toMatchObject({ ends: [{ at: canary.at, good: false }], canary })
})

test('a pending end of the canary changes neither the health nor the last failure', async () => {
  const log = await logOf(async (end) => {
    await end(0, ended(1))
    await end(1, ended(2, { code: 'source-changed' }), CANARY_ACCOUNT_ID)
  })
  expect(await (await rebuilt(log)).get(health, TASK)).toMatchObject({
    health: 'healthy',
    last_failure: null,
    canary: { pending: true },
  })
})

test('further lost fields do not begin the state of a task anew, and days of a drift are not usual', async () => {
  const change = (
    from: 'healthy' | 'drifting',
    to: 'healthy' | 'drifting',
    ...fields: string[]
  ): DomainEvent => ({
    type: 'TaskHealthChanged',
    data: { task_key: TASK, from, to, drift: fields.map((field) => ({ field, was: 1, now: 0 })) },
  })
  const log = await logOf(async (end) => {
    for (let i = 0; i < 30; i++) await end(i, ended(i, { fill: filled(i.toString(16), 4, 1000) }))
    await end(1000, change('healthy', 'drifting', 'id'))
    await end(2000, change('drifting', 'drifting', 'id', 'price'))
    await end(DAY_MS, ended(90, { fill: filled('a', 4, 1000) }))
    await end(2 * DAY_MS, ended(91, { fill: filled('a', 4, 1000) }))
  })
  const row = await (await rebuilt(log)).get(health, TASK)
  expect(row?.announced).toMatchObject({ health: 'drifting', at: new Date(START + 1000).toISOString() })
  expect(row?.announced?.drift.map(({ field }) => field)).toEqual(['id', 'price'])
  expect(row?.fill?.days).toEqual([])
})

test('90 days are kept: the next one takes the place of the first, and an end that arrives 90 days late is left out', async () => {
  const log = await logOf(async (end) => {
    for (let day = 0; day <= KEPT_DAYS; day++) await end(day * DAY_MS, ended(day))
    await end(0, ended(200))
    await end(5 * DAY_MS, ended(201))
  })
  const kept = await days(await rebuilt(log))
  expect(kept).toHaveLength(KEPT_DAYS)
  const first = dayOf(new Date(START).toISOString()) + 1
  expect(kept.map(({ day }) => day)).toEqual(Array.from({ length: KEPT_DAYS }, (_, i) => first + i))
  expect(kept.map(({ runs }) => runs).filter((runs) => runs !== 1)).toEqual([2])
})

describe('a rebuild', () => {
  const connections: RedisConnection[] = []
  const servers = redisServers()
  afterEach(async () => {
    for (const redis of connections.splice(0)) await redis.close()
  })
  /** A month with known and new inputs, losses, the canary, and changes. */
  const month = () =>
    logOf(async (end) => {
      for (let n = 0; n < 900; n++) {
        const share = n > 500 && n < 560 ? 0 : (n * 37) % 1001
        const items = n % 13 === 0 ? 0 : n % 40
        const fill =
          items === 0
            ? filled((n % 5).toString(16), 0)
            : filled((n % 90).toString(16), items, 1000, share, null)
        const code = n % 17 === 0 ? 'source-changed' : null
        const account = n % 19 === 0 ? CANARY_ACCOUNT_ID : accountId(n % 4)
        await end(n * 2_880_000, ended(n, { code, ms: n * 11, ...(code ? {} : { fill }) }), account)
        if (n !== 520 && n !== 600) continue
        const drift = n === 520 ? [{ field: 'price', was: 0.5, now: 0 }] : []
        const [from, to] = n === 520 ? (['healthy', 'drifting'] as const) : (['drifting', 'healthy'] as const)
        await end(n * 2_880_000, { type: 'TaskHealthChanged', data: { task_key: TASK, from, to, drift } })
      }
    })

  test('gives the same rows byte for byte', async () => {
    const log = await month()
    const models = await rebuilt(log)
    const before = await textOf(models)
    expect(before.length).toBeGreaterThan(3000)
    expect(await textOf(await rebuilt(log, models))).toBe(before)
    expect(await textOf(await rebuilt(log))).toBe(before)
  })

  test.skipIf(!hasRedis)('gives the same rows byte for byte on Redis', async () => {
    const log = await month()
    const redis = await openRedis((await servers.start()).url)
    connections.push(redis)
    expect(await textOf(await rebuilt(log, new RedisReadModels(redis)))).toBe(
      await textOf(await rebuilt(log)),
    )
  })
})

test('which account a run belongs to changes nothing but the account of the last failure', async () => {
  const rows = async (accountOf: (n: number) => AccountId) => {
    const log = await logOf(async (end) => {
      for (let n = 0; n < 60; n++) {
        const code = n % 9 === 0 ? 'source-changed' : null
        const fill = filled((n % 7).toString(16), n % 5, ...(n % 5 === 0 ? [] : [1000, n * 10]))
        await end(n * 3_600_000, ended(n, { code, ...(code ? {} : { fill }) }), accountOf(n))
      }
    })
    const models = await rebuilt(log)
    const { last_failure, ...row } = (await models.get(health, TASK))!
    return { row, days: await days(models), run: last_failure?.run_id }
  }
  expect(await rows((n) => accountId((n * 7) % 3))).toEqual(await rows(() => accountId(1)))
})
