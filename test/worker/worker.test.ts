/**
 * The worker executes each run exactly once, to exactly one end, whatever happens in between.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { alteredLog } from '../../rigs/support/altered-log.ts'
import { SlotsInMemory } from '../../rigs/support/run-slots.ts'
import { nextTurn } from '../../src/async/delay.ts'
import { Repeater, SECOND_MS } from '../../src/async/repeat.ts'
import { type RunId, runStream } from '../../src/domain/ids.ts'
import { isEnded } from '../../src/domain/run.ts'
import { type EventLog, type Recorded, StoreUnavailable } from '../../src/log/event-log.ts'
import { quiet } from './quiet.ts'
import { hasBegun, openStand, type Stand } from './stand.ts'

let stand: Stand
beforeEach(async () => {
  stand = await openStand()
})
afterEach(() => stand.close())

const isRunning = ({ status }: { readonly status: string }) => status === 'running'

describe('a run', () => {
  test('that succeeds has its complete result and costs its price', async () => {
    const account = await stand.openAccount(10)
    await stand.startWorker()
    const id = await stand.request(account, 'count', { count: 2 })
    expect(await stand.ended(id)).toMatchObject({
      run_status: 'succeeded',
      attempt: 1,
      credits: { charged: 1, refunded: 0 },
      result: { items: [{ n: 0 }, { n: 1 }], next_cursor: null, total: 2 },
      error: null,
    })
    expect(await stand.eventsOf(id)).toEqual(['RunRequested', 'RunStarted', 'ResultStored', 'RunSucceeded'])
    expect(await stand.balance(account)).toBe(9)
  })

  test('gets its input as it was sent, without the title that is stored in front of it', async () => {
    const account = await stand.openAccount()
    await stand.startWorker()
    const text = '{"title":"x"} ünï 😀 \\n "quoted"'
    expect(await stand.ended(await stand.request(account, 'not-found', { text }))).toMatchObject({
      title: 'a title',
      error: { detail: text },
    })
    expect(await stand.ended(await stand.request(account, 'count', { count: 1 }))).toMatchObject({
      result: { items: [{ n: 0 }] },
    })
  })

  test('that fails keeps its items as a partial result, reports the reason, and is refunded', async () => {
    const account = await stand.openAccount(10)
    await stand.startWorker()
    const ended = await stand.ended(await stand.request(account, 'changed'))
    expect(ended).toMatchObject({
      run_status: 'failed',
      credits: { charged: 1, refunded: 1 },
      error: { code: 'source-changed', detail: 'no list' },
    })
    expect(ended.result).toEqual({
      items: [{ n: 1 }, { n: 2 }],
      next_cursor: null,
      total: null,
      partial: true,
    })
    const nothing = await stand.ended(await stand.request(account, 'not-found', { text: 'no lamp 7' }))
    expect(nothing).toMatchObject({ result: null, error: { code: 'not-found', detail: 'no lamp 7' } })
    await stand.untilBalance(account, 10)
  })

  test('that ends by a defect of its plugin shows no details of the defect', async () => {
    const account = await stand.openAccount()
    await stand.startWorker()
    const ended = await stand.ended(await stand.request(account, 'throws'))
    expect(ended).toMatchObject({
      run_status: 'errored',
      error: { code: 'defect' },
      result: { partial: true },
    })
    expect(JSON.stringify(ended)).not.toContain('secret words')
    const crashed = await stand.ended(await stand.request(account, 'exit'))
    expect(crashed).toMatchObject({ run_status: 'errored', error: { code: 'defect' }, attempt: 1 })
    expect(crashed.result.items).toEqual([{ n: 1 }])
  })

  test('succeeds even if the previous run broke its process', async () => {
    const account = await stand.openAccount()
    await stand.startWorker({ workerConcurrency: 1 })
    const first = await stand.request(account, 'leftover')
    const second = await stand.request(account, 'slow', { count: 10 })
    expect(await stand.ended(first)).toMatchObject({ run_status: 'succeeded' })
    const ended = await stand.ended(second)
    expect(ended).toMatchObject({ run_status: 'succeeded', attempt: 1 })
    expect(ended.result.items).toEqual(Array.from({ length: 10 }, (_, n) => ({ n })))
  })

  test('that writes a file has it among its artifacts', async () => {
    const account = await stand.openAccount()
    await stand.startWorker()
    const id = await stand.request(account, 'file')
    const { artifacts } = await stand.ended(id)
    expect(artifacts).toMatchObject([{ name: 'hello.txt', content_type: 'text/plain', bytes: 11 }])
    const [file] = (await stand.runOf(id)).files
    expect(new TextDecoder().decode(await stand.artifacts.get(file!.ref))).toBe('hello world')
    const left = readdirSync(join(stand.folder, 'work'), { recursive: true, encoding: 'utf8' })
    // The folder of the worker, with one folder for each child.
    expect(left.filter((path) => !/^[^/]+(\/child-[^/]+)?$/.test(path))).toEqual([])
  })

  test('can overwrite and truncate a file that it is writing', async () => {
    const account = await stand.openAccount()
    await stand.startWorker()
    const id = await stand.request(account, 'patched-file')
    expect((await stand.ended(id)).result.items).toEqual([{ n: 1 }, { n: 1 }])
    const [file] = (await stand.runOf(id)).files
    expect(new TextDecoder().decode(await stand.artifacts.get(file!.ref))).toBe('hello world!')
  })

  test.each(['get', 'put'] as const)(
    'ends as a defect without a retry when a store throws an unexpected error (%s)',
    async (method) => {
      const account = await stand.openAccount(10)
      const id = await stand.request(account, 'count')
      const own = stand.artifacts[method].bind(stand.artifacts)
      let calls = 0
      Object.assign(stand.artifacts, {
        [method]: (...args: never[]) => {
          if (calls++ === 0) throw new TypeError('a defect')
          return (own as (...args: never[]) => unknown)(...args)
        },
      })
      await stand.startWorker()
      expect(await stand.ended(id)).toMatchObject({
        run_status: 'errored',
        attempt: 1,
        error: { code: 'defect' },
        credits: { charged: 1, refunded: 1 },
      })
      expect(calls).toBe(1)
    },
  )

  test('of a task that no longer exists ends as a defect and is refunded', async () => {
    const account = await stand.openAccount(10)
    const id = await stand.request(account, 'count')
    const { catalogue } = stand
    const get = catalogue.get
    Object.assign(catalogue, { get: () => undefined })
    await stand.startWorker()
    expect(await stand.ended(id)).toMatchObject({ run_status: 'errored', error: { code: 'defect' } })
    Object.assign(catalogue, { get })
    await stand.untilBalance(account, 10)
  })

  test('that was requested before the worker started is found in the read model', async () => {
    const account = await stand.openAccount()
    const ids = await Promise.all(Array.from({ length: 20 }, () => stand.request(account, 'count')))
    await stand.shown()
    await stand.startWorker()
    for (const id of ids) expect(await stand.ended(id)).toMatchObject({ run_status: 'succeeded' })
  })

  test('reports its progress while it is running', async () => {
    const account = await stand.openAccount()
    await stand.startWorker()
    const id = await stand.request(account, 'slow', { count: 1000 })
    const { progress } = await stand.until(id, hasBegun)
    expect(progress).toMatchObject({ total: 1000, message: 'going on' })
    await stand.cancel(id)
    await stand.ended(id)
  })
})

test('the end of a run contains its last reported progress, or else the number of its items', async () => {
  const account = await stand.openAccount()
  await stand.startWorker()
  const said = await stand.ended(await stand.request(account, 'slow', { count: 4 }))
  expect(said.progress).toEqual({ done: 4, total: 4, message: 'going on' })
  const counted = await stand.ended(await stand.request(account, 'changed'))
  expect(counted.progress).toEqual({ done: 2, total: null, message: null })
})

test('a task that reports progress all the time appends at most one event per ten seconds', async () => {
  const account = await stand.openAccount()
  await stand.startWorker()
  const began = Date.now()
  const id = await stand.request(account, 'slow', { count: 80 })
  await stand.ended(id)
  const progressEvents = (await stand.eventsOf(id)).filter((type) => type === 'RunProgressed')
  expect(progressEvents.length).toBeGreaterThan(0)
  expect(progressEvents.length).toBeLessThanOrEqual(1 + (Date.now() - began) / 10_000)
})

test('a run that writes more than 100 files ends as a defect and keeps 100', async () => {
  const account = await stand.openAccount()
  await stand.startWorker()
  const id = await stand.request(account, 'files', { count: 102 })
  const ended = await stand.ended(id)
  expect(ended).toMatchObject({ run_status: 'errored', error: { code: 'defect' } })
  expect(ended.artifacts).toHaveLength(100)
  const stored = (await stand.eventsOf(id)).filter((type) => type === 'ArtifactStored')
  expect(stored).toHaveLength(100)
})

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
    const worker = await stand.startWorker({ leaseS: 1.5 }, cut.between)
    const id = await stand.request(account, 'deaf')
    await stand.until(id, isRunning)
    cut.off = true
    while (worker.figures().runs > 0) await new Promise((go) => setTimeout(go, 5))
    expect(stand.now()).toBeLessThan(await leaseEnd(id))
    expect((await stand.runOf(id)).status).toBe('running')
    const reconciling = reconcilingEverySecond(1.5)
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
