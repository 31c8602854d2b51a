/**
 * A worker keeps the leases of its runs, gives a run up with its lease, and hands its runs over when it stops.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { alteredLog } from '../../rigs/support/altered-log.ts'
import { SlotsInMemory } from '../../rigs/support/run-slots.ts'
import { Repeater, SECOND_MS } from '../../src/async/repeat.ts'
import type { RunId } from '../../src/domain/ids.ts'
import { type EventLog, StoreUnavailable } from '../../src/log/event-log.ts'
import { quiet } from './quiet.ts'
import { isRunning, openStand, type Stand } from './stand.ts'

let stand: Stand
beforeEach(async () => {
  stand = await openStand()
})
afterEach(() => stand.close())

function reconcilingEverySecond(leaseS: number): Repeater {
  const reconciler = stand.newReconciler(leaseS)
  const act = (signal: AbortSignal) => reconciler.once(signal)
  const repeater = new Repeater([{ everyMs: SECOND_MS, failure: 'not reconciled', act }], quiet)
  repeater.start()
  return repeater
}

describe('a lease', () => {
  test('is renewed while the run is running', async () => {
    const account = await stand.openAccount()
    await stand.startWorker({ leaseS: 2 })
    const reconciling = reconcilingEverySecond(2)
    const id = await stand.request(account, 'slow', { count: 120 })
    const ended = await stand.ended(id)
    await reconciling.stop()
    expect(ended).toMatchObject({ run_status: 'succeeded', attempt: 1 })
    const renewed = (await stand.eventsOf(id)).filter((type) => type === 'RunProgressed')
    expect(renewed.length).toBeGreaterThan(3)
  }, 60_000)

  test.each([
    ['the only worker', () => undefined],
    ['one of several workers', () => new SlotsInMemory()],
  ])(
    'of %s is renewed while the result cannot be stored, and no run takes the place of its run',
    async (_, slots) => {
      const account = await stand.openAccount()
      const put = stand.artifacts.put.bind(stand.artifacts)
      let isAway = true
      Object.assign(stand.artifacts, {
        put: (...[run, name, body, expiresAt]: Parameters<typeof put>) => {
          if (!isAway || name !== 'result') return put(run, name, body, expiresAt)
          const done = Promise.reject(new StoreUnavailable('away'))
          done.catch(() => {})
          return { ref: 'x', bytes: 1, sha256: '', done }
        },
      })
      const ids = [await stand.request(account, 'count'), await stand.request(account, 'count')]
      const reconciling = reconcilingEverySecond(1.5)
      await stand.startWorker({ leaseS: 1.5, workerConcurrency: 1 }, undefined, slots())
      // More than three leases.
      await new Promise((go) => setTimeout(go, 6000))
      const started = await Promise.all(ids.map(async (id) => (await stand.runOf(id)).status))
      expect(started).toEqual(['running', 'queued'])
      isAway = false
      for (const id of ids)
        expect(await stand.ended(id)).toMatchObject({ run_status: 'succeeded', attempt: 1 })
      await reconciling.stop()
      for (const id of ids) {
        const events = await stand.eventsOf(id)
        expect(events.filter((type) => type === 'RunSucceeded')).toHaveLength(1)
        expect(events).not.toContain('RunRequeued')
      }
    },
    60_000,
  )

  test('that cannot be renewed makes the worker abandon its run before the lease ends', async () => {
    const account = await stand.openAccount()
    const cut = cuttable()
    const worker = await stand.startWorker({ leaseS: 3 }, cut.between)
    const id = await stand.request(account, 'deaf')
    await stand.until(id, isRunning)
    cut.off = true
    while (worker.figures().runs > 0) await new Promise((go) => setTimeout(go, 5))
    expect(stand.now()).toBeLessThan(await leaseEnd(id))
    expect((await stand.runOf(id)).status).toBe('running')
    const reconciling = reconcilingEverySecond(3)
    await stand.until(id, ({ status }) => status === 'queued')
    await reconciling.stop()
    expect(await stand.eventsOf(id)).toContain('RunRequeued')
  }, 60_000)

  test('that was revoked ends the attempt at once, and the attempt writes no further event', async () => {
    const account = await stand.openAccount()
    const worker = await stand.startWorker({ workerConcurrency: 1 })
    const id = await stand.request(account, 'deaf')
    await stand.until(id, isRunning)
    stand.clock.offset = 40_000
    await stand.commands.handle(
      id,
      { type: 'tick', now: stand.now(), leaseS: 30 },
      { causationId: 'test', now: stand.now() },
    )
    // The worker abandons the run and claims it again, as any other worker could.
    const again = await stand.until(id, ({ attempt }) => attempt === 2)
    expect(again.status).toBe('running')
    expect(worker.figures().runs).toBe(1)
    expect(await stand.eventsOf(id)).toEqual(['RunRequested', 'RunStarted', 'RunRequeued', 'RunStarted'])
  })

  test('survives a short outage of the store, and the run ends once', async () => {
    const account = await stand.openAccount()
    const cut = cuttable()
    await stand.startWorker({}, cut.between)
    const id = await stand.request(account, 'slow', { count: 10 })
    await stand.until(id, isRunning)
    cut.off = true
    while (cut.refused < 2) await new Promise((go) => setTimeout(go, 5))
    cut.off = false
    expect(await stand.ended(id)).toMatchObject({ run_status: 'succeeded', attempt: 1 })
    expect((await stand.eventsOf(id)).filter((type) => type === 'RunSucceeded')).toHaveLength(1)
  }, 60_000)
})

describe('stopping', () => {
  test('lets runs finish within the grace period', async () => {
    const account = await stand.openAccount()
    const worker = await stand.startWorker()
    const id = await stand.request(account, 'slow', { count: 10 })
    await stand.until(id, isRunning)
    const late = new Promise<void>((go) => setTimeout(go, 20_000).unref())
    await worker.stop(late)
    expect(await stand.ended(id)).toMatchObject({ run_status: 'succeeded' })
    expect(worker.figures()).toEqual({ runs: 0, processes: [], waiting: 0, oldestS: 0 })
  }, 60_000)

  test('requeues unfinished runs, and their next start keeps the attempt number', async () => {
    const account = await stand.openAccount()
    const worker = await stand.startWorker()
    const id = await stand.request(account, 'slow', { count: 30 })
    await stand.until(id, isRunning)
    await worker.stop(Promise.resolve())
    expect(await stand.runOf(id)).toMatchObject({ status: 'queued', nextAttempt: 1 })
    await stand.startWorker()
    const ended = await stand.ended(id)
    expect(ended).toMatchObject({ run_status: 'succeeded', attempt: 1 })
    expect(ended.result.items).toHaveLength(30)
    const starts = (await stand.eventsOf(id)).filter((type) => type === 'RunStarted')
    expect(starts).toHaveLength(2)
  }, 60_000)

  test('ends a run that is being cancelled as cancelled', async () => {
    const account = await stand.openAccount()
    const worker = await stand.startWorker()
    const id = await stand.request(account, 'deaf')
    await stand.until(id, isRunning)
    await stand.cancel(id)
    await worker.stop(Promise.resolve())
    expect((await stand.runOf(id)).status).toBe('cancelled')
  })
})

async function leaseEnd(id: RunId): Promise<number> {
  const run = await stand.runOf(id)
  return 'leaseUntil' in run ? Date.parse(run.leaseUntil) : 0
}

/** A log that can be made unavailable. */
function cuttable() {
  const cut = {
    off: false,
    refused: 0,
    between: (log: EventLog): EventLog =>
      alteredLog(log, {
        append(...args) {
          if (!cut.off) return log.append(...args)
          cut.refused++
          return Promise.reject(new StoreUnavailable('cut off'))
        },
      }),
  }
  return cut
}
