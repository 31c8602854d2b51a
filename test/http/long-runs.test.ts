/** Runs with many events: how many events a poll and an event stream read from the log. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { altered } from '../../rigs/support/altered.ts'
import { type RunId, runStream } from '../../src/domain/ids.ts'
import type { EventLog } from '../../src/log/event-log.ts'
import { append, envelop } from '../../src/log/execute.ts'
import { LocalLiveItems } from '../../src/runs/items/live-items.ts'
import { Runs } from '../../src/runs/runs.ts'
import { type Client, type Service, startService } from './service.ts'
import { firstOf, messagesOf } from './sse-reader.ts'

let service: Service
let client: Client
/** number of events read from streams of runs */
const read = { events: 0 }
beforeAll(async () => {
  service = await startService({
    deps: (deps) => {
      const log = counting(deps.log)
      const { artifacts, titles, config, now } = deps
      return {
        log,
        runs: new Runs(log, artifacts, titles, new LocalLiveItems(), config.resultRetentionDays, now),
      }
    },
  })
  client = await service.openAccount()
})
afterAll(() => service.close())

const counting = (log: EventLog): EventLog =>
  altered(log, {
    readStream: async (...args) => {
      const events = await log.readStream(...args)
      if (args[0].startsWith('run-')) read.events += events.length
      return events
    },
  })

async function counted<T>(act: () => Promise<T>): Promise<[T, number]> {
  read.events = 0
  const done = await act()
  return [done, read.events]
}

/** A running run with this number of events in its stream. */
async function runWith(events: number): Promise<RunId> {
  const kickoff = await service.post('/v1/sample/search', client.key, { query: 'x' })
  const id = kickoff.headers.get('run-id') as RunId
  await service.start(id)
  for (let written = 2; written < events; ) {
    const many = Math.min(1000, events - written)
    await tell(id, written - 1, many)
    written += many
  }
  return id
}

/** Appends progress events after a revision. */
async function tell(run_id: RunId, revision: number, count: number): Promise<void> {
  const lease_until = new Date(Date.now() + 30_000).toISOString()
  const events = Array.from({ length: count }, (_, i) => ({
    type: 'RunProgressed' as const,
    data: { run_id, attempt: 1, done: revision + i, total: null, message: null, lease_until },
  }))
  const cause = { accountId: client.accountId, correlationId: 'x', causationId: 'x', now: Date.now() }
  await append(service.stores.log, runStream(run_id), revision, envelop(events, cause))
}

const poll = async (id: RunId) => {
  const answer = await service.send(`/v1/runs/${id}`, { key: client.key })
  return ((await answer.json()) as { progress: { done: number } }).progress.done
}

describe.each([10, 20_000])('a run with %i events', (size) => {
  let id: RunId
  beforeAll(async () => {
    id = await runWith(size)
    await poll(id)
  })

  test('is polled by reading only the newest events', async () => {
    expect(await counted(() => poll(id))).toEqual([size - 2, 1])
    await tell(id, size - 1, 1)
    expect(await counted(() => poll(id))).toEqual([size - 1, 2])
    expect(await counted(() => poll(id))).toEqual([size - 1, 1])
  })

  test('streams its events with one read of each, and no more than its reader takes', async () => {
    const open = () => service.send(`/v1/runs/${id}/events`, { key: client.key })
    const [first, begun] = await counted(async () => firstOf(await open(), 1))
    expect(first).toMatchObject([{ event: 'RunRequested' }])
    expect(begun).toBeLessThanOrEqual(501 + 1)
    const [, all] = await counted(async () => {
      let count = 0
      for await (const _ of messagesOf(await open())) if (++count === size + 1) return
    })
    expect(all).toBeLessThanOrEqual(size + 2)
  })
})

test('an event stream after the last event of an ended run is 204 and reads only that event', async () => {
  const id = await runWith(2000)
  await service.finish(id)
  const open = (last?: string) =>
    service.send(`/v1/runs/${id}/events`, {
      key: client.key,
      headers: last === undefined ? {} : { 'last-event-id': last },
    })
  let last: string | undefined
  for await (const message of messagesOf(await open())) last = message.id
  const [answer, events] = await counted(() => open(last))
  expect([answer.status, events]).toEqual([204, 1])
})

test('a run is read again from the start after its log was restored from a backup', async () => {
  const id = await runWith(10)
  expect(await poll(id)).toBe(8)
  const { log } = service.stores
  const whole = await log.readStream(runStream(id))
  // Like a log from an older backup: fewer events, and a different event at the last revision.
  const older = [...whole.slice(0, 5), { ...whole[5]!, id: crypto.randomUUID() as never }]
  const setBack = { ...log, readStream: async (_: unknown, from = 0) => older.slice(from) } as never
  const { artifacts, titles, config, now } = service.deps
  const logs = { now: log as EventLog }
  const changing = new Proxy(log, { get: (_, name) => Reflect.get(logs.now, name).bind?.(logs.now) })
  const runs = new Runs(changing, artifacts, titles, new LocalLiveItems(), config.resultRetentionDays, now)
  expect((await runs.load(id)).revision).toBe(9)
  logs.now = setBack
  expect((await runs.load(id)).revision).toBe(5)
})
