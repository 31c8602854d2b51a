/**
 * The log on a failing EventStoreDB: appends are written once, callers get errors in time, and the log recovers.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import { anEvent, aStream, someEvents } from '../../../rigs/contract/events.ts'
import { type EventStoreCluster, startCluster } from '../../../rigs/servers/eventstore/cluster.ts'
import type { Loss, Refusal } from '../../../rigs/servers/eventstore/faults.ts'
import { startEventStoreProcess } from '../../../rigs/servers/eventstore/process.ts'
import { type EventStore, startEventStore } from '../../../rigs/servers/eventstore/server.ts'
import { skippingTime } from '../../../rigs/support/skipped-time.ts'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import { ConfigError } from '../../../src/config.ts'
import type { StreamName } from '../../../src/domain/ids.ts'
import { type EventLog, type Position, type Recorded, StoreUnavailable } from '../../../src/log/event-log.ts'
import { openEventstoreLog } from '../../../src/log/eventstore/log.ts'

const folder = temporaryFolder()
let store: EventStore
let log: EventLog
let failures: unknown[]
const open = (url: string) => openEventstoreLog(url, { onFailure: (error) => failures.push(error) })

beforeEach(async () => {
  failures = []
  store = await startEventStore()
  log = await open(store.url)
})
afterEach(async () => {
  store.faults.frozen = false
  await log.close()
  await store.stop()
})

const reasons = (events: readonly Recorded[]) =>
  events.map(({ event }) => event && 'reason' in event.data && event.data.reason)

/** The error of a call, and the time it took in milliseconds. */
async function failing(call: () => Promise<unknown>): Promise<{ error: unknown; ms: number }> {
  const began = performance.now()
  const error = await call().then(
    () => undefined,
    (error) => error,
  )
  return { error, ms: performance.now() - began }
}

/** Repeats a call until it succeeds: the log recovers without being opened again. */
async function works<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      await new Promise((go) => setTimeout(go, 20))
    }
  }
}

/** Subscribes to the log; `of` returns the delivered revisions of a stream. */
function following(after: Position | null) {
  const stop = new AbortController()
  const events: Recorded[] = []
  let wake = () => {}
  const ended = (async () => {
    for await (const delivery of log.subscribe(after, { signal: stop.signal })) {
      if (delivery.kind === 'events') events.push(...delivery.events)
      wake()
    }
  })()
  return {
    of: (stream: StreamName) => events.filter((e) => e.stream === stream).map((e) => e.revision),
    async until(stream: StreamName, revision: number) {
      while (!this.of(stream).includes(revision)) {
        await new Promise<void>((go) => {
          wake = go
        })
      }
    },
    async stop() {
      stop.abort()
      await ended
    },
  }
}

const upTo = (revision: number) => Array.from({ length: revision + 1 }, (_, i) => i)

describe('an append whose answer is lost', () => {
  test.each<Loss>(['reset', 'timeout'])('by %s is repeated and written once', async (loss) => {
    const stream = aStream()
    store.faults.loss = loss
    store.faults.lostAnswers = 1
    expect(await log.append(stream, 'no-stream', someEvents(3))).toEqual({ revision: 2 })
    expect(await log.readStream(stream)).toHaveLength(3)
    store.faults.lostAnswers = 2
    expect(await log.append(stream, 2, someEvents(2))).toEqual({ revision: 4 })
    expect(await log.readStream(stream)).toHaveLength(5)
  })

  test('completely fails with StoreUnavailable; its repetition succeeds and writes nothing', async () => {
    const stream = aStream()
    const events = someEvents(2)
    store.faults.lostAnswers = 1
    const { error } = await failing(() => log.append(stream, 'no-stream', events))
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect(await log.append(stream, 'no-stream', events)).toEqual({ revision: 1 })
    expect(await log.readStream(stream)).toHaveLength(2)
  })

  test('fails the appends that follow it; repeated in any order, each is written once', async () => {
    const stream = aStream()
    const chain = [someEvents(1), someEvents(2), someEvents(1), someEvents(1)]
    const send = () => {
      let last: Promise<unknown> | undefined
      let revision = -1
      return chain.map((events) => {
        const append = log.append(stream, revision < 0 ? 'no-stream' : revision, events, { after: [last] })
        revision += events.length
        last = append
        return append
      })
    }
    store.faults.lostAnswers = 1
    const outcomes = await Promise.allSettled(send())
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
    expect(await log.append(stream, 0, chain[1]!)).toEqual({ revision: 2 })
    expect(await Promise.all(send())).toEqual([0, 2, 3, 4].map((revision) => ({ revision })))
    expect(await log.readStream(stream)).toHaveLength(5)
  })
})

describe('appends of one stream', () => {
  test('fail together when the first is refused, and succeed when the first is a repetition', async () => {
    const stream = aStream()
    const first = someEvents(1)
    await log.append(stream, 'no-stream', first)
    const again = log.append(stream, 'no-stream', first)
    const next = log.append(stream, 0, [anEvent('next')], { after: [again] })
    expect(await Promise.all([again, next])).toEqual([{ revision: 0 }, { revision: 1 }])
    const wrong = log.append(stream, 'no-stream', someEvents(1))
    const behind = log.append(stream, 0, someEvents(1), { after: [wrong] })
    const outcomes = await Promise.allSettled([wrong, behind])
    expect(outcomes.map((o) => o.status === 'rejected' && o.reason.name)).toEqual([
      'WrongExpectedRevision',
      'WrongExpectedRevision',
    ])
    expect(await log.readStream(stream)).toHaveLength(2)
  })
})

test('an append after a failed one is never written behind events of another process', async () => {
  // Chains of two processes on one stream: each event must directly follow the state on which its writer decided.
  const other = await open(store.url)
  const stream = aStream()
  const chains = [log, other].map(async (writer, who) => {
    for (let round = 0; round < 60; round++) {
      const events = await writer.readStream(stream)
      let revision = events.at(-1)?.revision ?? -1
      let last: Promise<unknown> | undefined
      const appends = upTo(5).map((i) => {
        const before = i === 0 ? (events.at(-1)?.id ?? 'none') : `${who}.${round}.${i - 1}`
        const event = { ...anEvent(`${who}.${round}.${i} behind ${before}`) }
        const append = writer.append(stream, revision < 0 ? 'no-stream' : revision, [event], {
          after: [last],
        })
        revision++
        last = append
        return append
      })
      await Promise.allSettled(appends)
    }
  })
  await Promise.all(chains)
  const events = await log.readStream(stream)
  expect(events.length).toBeGreaterThan(60)
  for (const [i, text] of reasons(events).entries()) {
    const [, before] = String(text).split(' behind ')
    const previous = events[i - 1]
    const name = previous && String(reasons([previous])[0]).split(' behind ')[0]
    expect([previous?.id, name, previous ? undefined : 'none']).toContain(before)
  }
  await other.close()
}, 60_000)

describe('an event store that is', () => {
  const asks: [string, () => Promise<unknown>][] = [
    ['append', () => log.append(aStream(), 'no-stream', [anEvent()])],
    ['read a stream', () => log.readStream(aStream())],
    ['read all', () => log.readAll(null, 10)],
    ['head', () => log.head()],
  ]

  test.each(asks)('frozen: "%s" fails within two seconds, and works again afterwards', async (_, ask) => {
    await log.append(aStream(), 'no-stream', [anEvent()])
    store.faults.frozen = true
    const { error, ms } = await skippingTime(ask)
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect(ms).toBeLessThan(2000)
    store.faults.frozen = false
    await works(ask)
  })

  test.each<Refusal>(['no-leader', 'not-ready', 'too-busy', 'timeout'])(
    'not writable (%s): appends fail within two seconds, reads continue, and appends recover',
    async (refusal) => {
      const stream = aStream()
      await log.append(stream, 'no-stream', [anEvent()])
      store.faults.refuseAppends = refusal
      const events = [anEvent()]
      const { error, ms } = await failing(() => log.append(stream, 0, events))
      expect(error).toBeInstanceOf(StoreUnavailable)
      expect(ms).toBeLessThan(2000)
      expect(await works(() => log.readStream(stream))).toHaveLength(1)
      store.faults.refuseAppends = null
      expect(await works(() => log.append(stream, 0, events))).toEqual({ revision: 1 })
    },
  )

  test('refusing appends for a moment: an append is retried and succeeds', async () => {
    const stream = aStream()
    store.faults.refuseAppends = 'no-leader'
    const appended = log.append(stream, 'no-stream', [anEvent()])
    setTimeout(() => {
      store.faults.refuseAppends = null
    }, 300)
    expect(await appended).toEqual({ revision: 0 })
  })

  test('stopped: calls fail, and work again when it is back at its address', async () => {
    const path = `${folder}/gone`
    const first = await startEventStore({ folder: path })
    const itsLog = await open(first.url)
    const stream = aStream()
    await itsLog.append(stream, 'no-stream', [anEvent('kept')])
    await first.stop()
    const { error, ms } = await failing(() => itsLog.append(stream, 0, [anEvent()]))
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect(ms).toBeLessThan(2000)
    expect((await failing(() => itsLog.readStream(stream))).error).toBeInstanceOf(StoreUnavailable)
    const second = await startEventStore({ folder: path, port: first.port })
    expect(reasons(await works(() => itsLog.readStream(stream)))).toEqual(['kept'])
    expect(itsLog.id).toBe((await open(second.url)).id)
    await itsLog.close()
    await second.stop()
  })

  test('missing at the start is waited for, and reported as unavailable', async () => {
    const { port } = store
    await store.stop()
    const opening = openEventstoreLog(`esdb://127.0.0.1:${port}?tls=false`, {
      waitMs: 30_000,
      onFailure: (error) => failures.push(error),
    })
    while (failures.length === 0) await new Promise((go) => setTimeout(go, 10))
    store = await startEventStore({ port })
    const opened = await opening
    expect(await opened.head()).toBeNull()
    expect(failures.filter((error) => !(error instanceof StoreUnavailable))).toEqual([])
    await opened.close()
  })

  test('refusing the user fails the start with a ConfigError that contains no password', async () => {
    store.faults.refuseReads = 'access-denied'
    const { error } = await failing(() => openEventstoreLog(store.url.replace('//', '//admin:hunter2@')))
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as Error).message).toContain('$admins')
    expect((error as Error).message).not.toContain('hunter2')
  })
})

describe('a subscription', () => {
  test.each<[string, () => void]>([
    ['is dropped as too slow', () => store.faults.dropSubscriptions()],
    ['loses its connection', () => store.faults.cutConnections()],
  ])('that %s continues after its last delivered event', async (_, fault) => {
    const stream = aStream()
    const follower = following(await log.head())
    await log.append(stream, 'no-stream', [anEvent()])
    await follower.until(stream, 0)
    for (let i = 0; i < 20; i++) {
      if (i % 5 === 2) fault()
      const events = [anEvent()]
      await works(() => log.append(stream, i, events))
    }
    await follower.until(stream, 20)
    expect(follower.of(stream)).toEqual(upTo(20))
    await follower.stop()
  })

  test('that cannot connect for a while continues when it can', async () => {
    const stream = aStream()
    const follower = following(await log.head())
    await log.append(stream, 'no-stream', [anEvent()])
    await follower.until(stream, 0)
    store.faults.refuseConnections(true)
    store.faults.cutConnections()
    await failing(() => log.append(stream, 0, [anEvent()]))
    store.faults.refuseConnections(false)
    const { revision } = await works(() => log.append(stream, 0, [anEvent('after')]))
    await follower.until(stream, revision)
    expect(follower.of(stream)).toEqual(upTo(revision))
    await follower.stop()
  }, 60_000)

  test('ends on abort, also while the store is unavailable', async () => {
    const follower = following(await log.head())
    store.faults.frozen = true
    await follower.stop()
    store.faults.frozen = false
    await store.stop()
    const late = following(null)
    await late.stop()
  })

  test('that starts while the store is unavailable delivers all events once it is back', async () => {
    const stream = aStream()
    await log.append(stream, 'no-stream', someEvents(10))
    store.faults.refuseReads = 'not-ready'
    const follower = following(null)
    while (failures.length === 0) await new Promise((go) => setTimeout(go, 10))
    store.faults.refuseReads = null
    await follower.until(stream, 9)
    expect(follower.of(stream)).toEqual(upTo(9))
    await follower.stop()
  })

  test('is shared by all subscribers of the process', async () => {
    const stream = aStream()
    const followers = upTo(149).map(() => following(null))
    await log.append(stream, 'no-stream', someEvents(3))
    await Promise.all(followers.map((follower) => follower.until(stream, 2)))
    // A connection carries 100 calls: with one call per subscriber, this read would never be answered.
    expect(await log.readStream(stream)).toHaveLength(3)
    await Promise.all(followers.map((follower) => follower.stop()))
  }, 60_000)
})

describe('other clients of the same server', () => {
  let client: EventStoreDBClient
  beforeEach(() => {
    client = EventStoreDBClient.connectionString(store.url)
  })
  afterEach(() => client.dispose())
  const foreign = (data: object = {}) => jsonEvent({ id: randomUUID(), type: 'Theirs', data: data as never })

  test('write events that are not part of the log: not of its head, its pages or its subscriptions', async () => {
    await client.appendToStream('orders-1', foreign())
    expect(await log.head()).toBeNull()
    expect(await log.readAll(null, 10)).toEqual([])
    const stream = aStream()
    await log.append(stream, 'no-stream', someEvents(2))
    const head = await log.head()
    await client.appendToStream(
      'orders-1',
      Array.from({ length: 300 }, () => foreign()),
    )
    expect(await log.head()).toBe(head)
    expect(await log.readAll(head, 10)).toEqual([])
    const follower = following(null)
    await log.append(stream, 1, [anEvent()])
    await follower.until(stream, 2)
    expect((await log.readAll(null, 10)).map((e) => e.stream)).toEqual([stream, stream, stream])
    await follower.stop()
  })

  test('may write to streams named like ours: their events are delivered without a decoded event', async () => {
    const name = 'run-theirs' as StreamName
    const texts = [foreign(), { ...foreign(), type: 'RunStarted' }, { ...foreign(), metadata: { v: 'x' } }]
    await client.appendToStream(name, texts)
    const binary = { id: randomUUID(), type: 'KeyRevoked', contentType: 'application/octet-stream' as const }
    await client.appendToStream(name, { ...binary, data: new Uint8Array([1, 2]), metadata: undefined })
    const events = await log.readStream(name)
    expect(events.map(({ type, event }) => [type, event])).toEqual([
      ['Theirs', undefined],
      ['RunStarted', undefined],
      ['Theirs', undefined],
      ['KeyRevoked', undefined],
    ])
    expect(await log.readAll(null, 10)).toHaveLength(4)
  })

  test('may delete a stream: it is read as an empty one', async () => {
    const [soft, hard] = [aStream(), aStream()]
    for (const stream of [soft, hard]) await log.append(stream, 'no-stream', someEvents(2))
    await client.deleteStream(soft)
    await client.tombstoneStream(hard)
    expect(await log.readStream(soft)).toEqual([])
    expect(await log.readStream(hard)).toEqual([])
    expect(await log.append(soft, 'no-stream', [anEvent()])).toEqual({ revision: 2 })
    expect((await log.readStream(soft)).map((e) => e.revision)).toEqual([2])
  })
})

test('a log that was reset to an earlier state is read to its new end', async () => {
  const stream = aStream()
  await log.append(stream, 'no-stream', someEvents(50))
  const far = await log.head()
  const { port } = store
  await store.stop()
  store = await startEventStore({ port })
  expect(await works(() => log.head())).toBeNull()
  expect(await log.knows(far!)).toBe(false)
  await log.append(stream, 'no-stream', someEvents(2))
  expect(await log.readAll(null, 10)).toHaveLength(2)
})

describe('a cluster', () => {
  let cluster: EventStoreCluster
  let itsLog: EventLog
  beforeEach(async () => {
    cluster = await startCluster(3)
    itsLog = await open(cluster.url)
  })
  afterEach(async () => {
    await itsLog.close()
    await cluster.stop()
  })

  test('loses and duplicates no event when its leader changes', async () => {
    const stream = aStream()
    for (let i = 0; i < 12; i++) {
      if (i % 4 === 3) cluster.lead((i >> 2) % 3)
      const events = [anEvent(`${i}`)]
      await works(() => itsLog.append(stream, i === 0 ? 'no-stream' : i - 1, events))
    }
    expect(reasons(await works(() => itsLog.readStream(stream)))).toEqual(upTo(11).map(String))
  }, 60_000)

  test('without a leader fails appends within two seconds, and works again with one', async () => {
    await itsLog.append(aStream(), 'no-stream', [anEvent()])
    cluster.lead(null)
    const { error, ms } = await failing(() => itsLog.append(aStream(), 'no-stream', [anEvent()]))
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect(ms).toBeLessThan(2000)
    cluster.lead(2)
    await works(() => itsLog.append(aStream(), 'no-stream', [anEvent()]))
  }, 60_000)

  test('answers reads without an error when its leader stops and another node leads', async () => {
    const stream = aStream()
    await itsLog.append(stream, 'no-stream', [anEvent()])
    const head = await itsLog.head()
    for (const next of [1, 2]) {
      cluster.lead(next)
      await cluster.nodes[next - 1]!.stop()
      expect(await itsLog.readStream(stream)).toHaveLength(1)
      expect(await itsLog.head()).toBe(head)
    }
  }, 60_000)

  test('works without a stopped node', async () => {
    const stream = aStream()
    await itsLog.append(stream, 'no-stream', [anEvent()])
    await cluster.nodes[0]!.stop()
    cluster.lead(1)
    const events = [anEvent()]
    expect(await works(() => itsLog.append(stream, 0, events))).toEqual({ revision: 1 })
    expect(await works(() => itsLog.readStream(stream))).toHaveLength(2)
  }, 60_000)
})

test('every acknowledged event is stored once and in order after kills and stops of the store', async () => {
  const path = `${folder}/killed`
  let process = await startEventStoreProcess({ folder: path })
  const { port } = process
  const itsLog = await open(process.url)
  const streams = upTo(7).map(() => aStream())
  const answered = new Map<StreamName, number>()
  let stopping = false
  const writers = streams.map(async (stream) => {
    for (let i = 0; !stopping; i++) {
      const events = someEvents(1)
      await works(() => itsLog.append(stream, i === 0 ? 'no-stream' : i - 1, events))
      answered.set(stream, i)
    }
  })
  const waitFor = async (count: number) => {
    const sum = () => [...answered.values()].reduce((a, b) => a + b, 0)
    const from = sum()
    while (sum() < from + count) await new Promise((go) => setTimeout(go, 5))
  }
  for (const signal of ['SIGKILL', 'SIGSTOP', 'SIGKILL', 'SIGSTOP'] as const) {
    await waitFor(100)
    await process.kill(signal)
    if (signal === 'SIGSTOP') {
      await failing(() => itsLog.head())
      await process.kill('SIGCONT')
    } else process = await startEventStoreProcess({ folder: path, port })
  }
  await waitFor(100)
  stopping = true
  await Promise.all(writers)
  for (const stream of streams) {
    const events = await works(() => itsLog.readStream(stream))
    expect(events.map((e) => e.revision)).toEqual(upTo(answered.get(stream)!))
    expect(new Set(events.map((e) => e.id)).size).toBe(events.length)
  }
  await itsLog.close()
  await process.kill()
}, 60_000)
