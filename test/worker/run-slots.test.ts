/**
 * Several workers that share run slots: the limit of an account holds across all of them, and they hardly ever race.
 *
 * @module
 */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { alteredLog } from '../../rigs/support/altered-log.ts'
import { SlotsInMemory } from '../../rigs/support/run-slots.ts'
import { isTerminalEvent } from '../../src/domain/events.ts'
import type { AccountId, RunId } from '../../src/domain/ids.ts'
import { type EventLog, StoreUnavailable, WrongExpectedRevision } from '../../src/log/event-log.ts'
import { Claims } from '../../src/worker/queue/claims.ts'
import type { FairQueue } from '../../src/worker/queue/fair-queue.ts'
import { quiet } from './quiet.ts'
import { openStand, type Stand } from './stand.ts'

let stand: Stand
beforeEach(async () => {
  stand = await openStand()
})
afterEach(() => stand.close())

const someRuns = (account: AccountId, count: number, task = 'count', input = {}) =>
  Promise.all(Array.from({ length: count }, () => stand.request(account, task, input)))

/** The highest number of concurrent runs of an account, according to the log. */
async function mostRunning(account: AccountId, ids: readonly RunId[]): Promise<number> {
  let [running, most, over] = [0, 0, 0]
  const stop = new AbortController()
  for await (const delivery of stand.log.subscribe(null, { signal: stop.signal })) {
    if (delivery.kind !== 'events') continue
    for (const { type, meta } of delivery.events) {
      if (meta.account_id !== account) continue
      if (type === 'RunStarted') most = Math.max(most, ++running)
      if (isTerminalEvent(type) && running-- > 0) over++
    }
    if (over >= ids.length) stop.abort()
  }
  return most
}

test('the limit of an account holds across all workers, and all of its runs succeed', async () => {
  const account = await stand.openAccount(10_000, { concurrent_runs: 2 })
  const other = await stand.openAccount()
  const slots = new SlotsInMemory()
  const ids = await someRuns(account, 16, 'slow', { count: 1 })
  const free = await someRuns(other, 4)
  for (let i = 0; i < 3; i++) await stand.startWorker({}, undefined, slots)
  for (const id of [...ids, ...free]) expect((await stand.ended(id)).run_status).toBe('succeeded')
  expect(await mostRunning(account, ids)).toBe(2)
}, 60_000)

test('eight workers execute each of 300 queued runs exactly once and lose fewer than 30 claims', async () => {
  const account = await stand.openAccount()
  const slots = new SlotsInMemory()
  const ids = await someRuns(account, 300)
  let lost = 0
  const counting = (log: EventLog) =>
    alteredLog(log, {
      append: (...args) => {
        const appended = log.append(...args)
        appended.catch((error) => {
          if (error instanceof WrongExpectedRevision) lost++
        })
        return appended
      },
    })
  await Promise.all(
    Array.from({ length: 8 }, () => stand.startWorker({ workerConcurrency: 2 }, counting, slots)),
  )
  for (const id of ids) {
    expect((await stand.ended(id)).attempt).toBe(1)
    expect(await stand.eventsOf(id)).toEqual(['RunRequested', 'RunStarted', 'ResultStored', 'RunSucceeded'])
  }
  expect(lost).toBeLessThan(30)
}, 60_000)

test('a slot of another holder is not taken over, and the run begins when that slot expires', async () => {
  const slots = new SlotsInMemory()
  const requests: RunId[] = []
  const crowded = {
    acquire: (...args: Parameters<SlotsInMemory['acquire']>) => {
      requests.push(args[0].run)
      const [slot, , forMs, now] = args
      // A worker that dies right after it acquired the slot of the first run.
      if (requests.length === 1) slots.acquire({ ...slot, holder: 'gone' }, 0, forMs, now)
      return slots.acquire(...args)
    },
    renew: (...args: Parameters<SlotsInMemory['renew']>) => slots.renew(...args),
    release: (...args: Parameters<SlotsInMemory['release']>) => slots.release(...args),
  }
  await stand.startWorker({ leaseS: 2 }, undefined, crowded)
  const waiting = await stand.request(await stand.openAccount(), 'count')
  expect((await stand.ended(waiting)).run_status).toBe('succeeded')
  expect(requests.length).toBeGreaterThan(1)
  expect(new Set(requests)).toEqual(new Set([waiting]))
}, 60_000)

test('a slot of a dead worker delays a run only until the slot expires, however long leases are', async () => {
  const slots = new SlotsInMemory()
  let requests = 0
  const crowded = {
    acquire: (...args: Parameters<SlotsInMemory['acquire']>) => {
      const [slot, , , now] = args
      if (requests++ === 0) slots.acquire({ ...slot, holder: 'gone' }, 0, 600, now)
      return slots.acquire(...args)
    },
    renew: (...args: Parameters<SlotsInMemory['renew']>) => slots.renew(...args),
    release: (...args: Parameters<SlotsInMemory['release']>) => slots.release(...args),
  }
  await stand.startWorker({ leaseS: 600 }, undefined, crowded)
  const waiting = await stand.request(await stand.openAccount(), 'count')
  expect((await stand.ended(waiting)).run_status).toBe('succeeded')
}, 60_000)

test('no run is claimed while the slots are unavailable, and claiming resumes by itself', async () => {
  const account = await stand.openAccount()
  const slots = new SlotsInMemory()
  let away = true
  let requests = 0
  const flaky = {
    acquire: async (...args: Parameters<SlotsInMemory['acquire']>) => {
      requests++
      if (away) throw new StoreUnavailable('away')
      return slots.acquire(...args)
    },
    renew: async () => {
      if (away) throw new StoreUnavailable('away')
    },
    release: async (...args: Parameters<SlotsInMemory['release']>) => {
      if (away) throw new StoreUnavailable('away')
      slots.release(...args)
    },
  }
  await stand.startWorker({}, undefined, flaky)
  const id = await stand.request(account, 'count')
  while (requests < 2) await new Promise((go) => setImmediate(go))
  expect((await stand.runOf(id)).status).toBe('queued')
  away = false
  expect((await stand.ended(id)).run_status).toBe('succeeded')
})

test('slots are renewed on time although the clock of the worker was set back by an hour', async () => {
  let now = 10_000_000
  const renewedAt: number[] = []
  const slots = {
    acquire: () => 'granted' as const,
    renew: () => void renewedAt.push(now),
    release: () => {},
  }
  const queue = { accountOf: () => ({ id: 'acc_x', limit: 1 }), revisionOf: () => 0 } as unknown as FairQueue
  const { commands } = stand
  const claims = new Claims(
    { commands, logger: quiet, now: () => now, name: 'worker', slots },
    30,
    queue,
    () => {},
  )
  const id = await stand.request(await stand.openAccount(), 'count')
  expect(await claims.claim({ id, known: undefined, after: undefined })).toBeDefined()
  claims.tick(now)
  now -= 3_600_000
  for (let second = 0; second < 20; second++) {
    now += 1000
    claims.tick(now)
  }
  expect(renewedAt.map((at) => at - 10_000_000)).toEqual([0, -3_599_000, -3_589_000])
})

test('slots are renewed while their runs are running, and are free after the runs end', async () => {
  const account = await stand.openAccount(100, { concurrent_runs: 1 })
  const slots = new SlotsInMemory()
  const worker = await stand.startWorker({ leaseS: 2 }, undefined, slots)
  const long = await stand.request(account, 'slow', { count: 120 })
  const next = await stand.request(account, 'count')
  await stand.until(long, ({ status }) => status === 'running')
  // Longer than the lease: the slot still exists only because it was renewed.
  await stand.until(long, ({ progress }) => progress.done > 60)
  const probe = { run: next, account, holder: 'probe' }
  expect(slots.acquire(probe, 1, 1000, stand.now())).toBe('full')
  await stand.ended(long)
  expect((await stand.ended(next)).run_status).toBe('succeeded')
  while (worker.figures().runs > 0) await new Promise((go) => setImmediate(go))
  expect(slots.acquire({ ...probe, run: long }, 1, 1000, stand.now())).toBe('taken')
  const another = await stand.request(account, 'count')
  expect((await stand.ended(another)).run_status).toBe('succeeded')
}, 60_000)
