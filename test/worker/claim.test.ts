/**
 * Workers claim runs: in turn, in order, within the limits of accounts, and each run once.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { nextTurn } from '../../src/async/delay.ts'
import { type RunId, runStream } from '../../src/domain/ids.ts'
import { isEnded } from '../../src/domain/run.ts'
import type { Recorded } from '../../src/log/event-log.ts'
import { isRunning, openStand, type Stand } from './stand.ts'

let stand: Stand
beforeEach(async () => {
  stand = await openStand()
})
afterEach(() => stand.close())

describe('accounts', () => {
  test('are served in turn, and no account exceeds its limit of concurrent runs', async () => {
    const [many, few] = [await stand.openAccount(10_000, { concurrent_runs: 2 }), await stand.openAccount()]
    const ids = await Promise.all(Array.from({ length: 12 }, () => stand.request(many, 'slow', { count: 3 })))
    const first = await stand.request(few, 'count')
    let running = 0
    let most = 0
    const stop = new AbortController()
    const watching = (async () => {
      for await (const delivery of stand.log.subscribe(null, { signal: stop.signal })) {
        for (const { type, meta } of delivery.kind === 'events' ? delivery.events : []) {
          if (meta.account_id !== many) continue
          if (type === 'RunStarted') most = Math.max(most, ++running)
          if (type === 'RunSucceeded') running--
        }
      }
    })()
    await stand.startWorker()
    await stand.ended(first)
    expect((await Promise.all(ids.map((id) => stand.runOf(id)))).filter(isEnded).length).toBeLessThan(12)
    for (const id of ids) await stand.ended(id)
    stop.abort()
    await watching
    expect(most).toBe(2)
  })

  test('with a raised limit get their waiting run started', async () => {
    const account = await stand.openAccount(100, { concurrent_runs: 1 })
    await stand.startWorker()
    const ids = [await stand.request(account, 'slow', { count: 1000 }), await stand.request(account, 'count')]
    await stand.until(ids[0]!, isRunning)
    expect((await stand.runOf(ids[1]!)).status).toBe('queued')
    const cause = { accountId: account, correlationId: 'x', causationId: 'x', now: stand.now() }
    await stand.accounts.handle(
      { type: 'entitle', accountId: account, limits: { concurrent_runs: 2 } },
      cause,
    )
    expect(await stand.ended(ids[1]!)).toMatchObject({ run_status: 'succeeded' })
    await stand.cancel(ids[0]!)
    await stand.ended(ids[0]!)
  })
})

describe('a claim', () => {
  /** The run events of each delivery, as `type n` for the nth run. */
  async function deliveries(act: () => Promise<RunId[]>): Promise<string[][]> {
    const stop = new AbortController()
    const batches: (readonly Recorded[])[] = []
    const watching = (async () => {
      for await (const delivery of stand.log.subscribe(await stand.log.head(), { signal: stop.signal }))
        if (delivery.kind === 'events') batches.push(delivery.events)
    })()
    const ids = await act()
    for (const id of ids) await stand.ended(id)
    stop.abort()
    await watching
    const names = ids.map((id) => runStream(id))
    return batches.map((events) =>
      events.flatMap(({ stream, type }) =>
        stream.startsWith('run-') ? [`${type} ${names.indexOf(stream as (typeof names)[number])}`] : [],
      ),
    )
  }

  test('is in the commit after the request, not in the same one, when no run is waiting', async () => {
    const account = await stand.openAccount()
    await stand.startWorker()
    await stand.ended(await stand.request(account, 'count'))
    const batches = await deliveries(async () => [await stand.request(account, 'count')])
    expect(batches.slice(0, 2)).toEqual([['RunRequested 0'], ['RunStarted 0']])
  })

  test('of a waiting run is written in one transaction with the end of the run that it replaces', async () => {
    const account = await stand.openAccount()
    const worker = await stand.startWorker({ workerConcurrency: 1 })
    const batches = await deliveries(async () => {
      // Ends only when it is cancelled, so the other run is certain to wait.
      const first = await stand.request(account, 'slow', { count: 1000 })
      await stand.until(first, isRunning)
      const second = await stand.request(account, 'count')
      while (worker.figures().waiting === 0) await nextTurn()
      await stand.cancel(first)
      return [first, second]
    })
    const together = batches.find((types) => types.includes('RunCancelled 0'))
    expect(together).toContain('RunStarted 1')
  })
})

test('a worker does not exceed its concurrency, and executes runs in the order of their requests', async () => {
  const account = await stand.openAccount()
  const worker = await stand.startWorker({ workerConcurrency: 1 })
  const head = await stand.log.head()
  const ids = await Promise.all(
    Array.from({ length: 60 }, (_, count) => stand.request(account, 'count', { count })),
  )
  for (const [n, id] of ids.entries()) expect((await stand.ended(id)).result.items).toHaveLength(n)
  const order: string[] = []
  const stop = new AbortController()
  for await (const delivery of stand.log.subscribe(head, { signal: stop.signal }))
    if (delivery.kind === 'caught-up') stop.abort()
    else
      for (const { type, stream } of delivery.events)
        if (type === 'RunStarted' || type === 'RunSucceeded') order.push(`${type} ${stream}`)
  expect(order).toEqual(ids.flatMap((id) => [`RunStarted ${runStream(id)}`, `RunSucceeded ${runStream(id)}`]))
  expect(worker.figures().processes).toMatchObject([{ source: 'faults', processes: 1 }])
}, 60_000)

describe('several workers', () => {
  test('on one log execute each of 200 runs exactly once', async () => {
    const account = await stand.openAccount()
    await stand.startWorker()
    await stand.startWorker()
    const ids = await Promise.all(
      Array.from({ length: 200 }, (_, i) => stand.request(account, 'count', { count: i })),
    )
    for (const [i, id] of ids.entries()) {
      const ended = await stand.ended(id)
      expect(ended.result.items).toHaveLength(i)
      expect(await stand.eventsOf(id)).toEqual(['RunRequested', 'RunStarted', 'ResultStored', 'RunSucceeded'])
    }
    expect(await stand.balance(account)).toBe(10_000 - 200)
  }, 60_000)
})
