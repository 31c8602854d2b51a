import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { startCluster } from './cluster.ts'
import { type EventStore, startEventStore } from './server.ts'
import {
  anEvent,
  append,
  aStream,
  clientOf,
  endClients,
  errorOf,
  failure,
  gather,
  listenTo,
  someEvents,
} from './target.ts'

// Faults that only a fake can produce on demand; the real server is known to have each of them.
endClients()
let server: EventStore
beforeEach(async () => {
  server = await startEventStore()
})
afterEach(() => server.stop())
const lengthOf = async (stream: string) => (await gather(clientOf(server.url).readStream(stream))).length
const kinds = (events: readonly { readonly kind: string }[]) => events.map(({ kind }) => kind)

describe('an append whose answer is lost', () => {
  for (const { loss, error } of [
    { loss: 'silence', error: failure('deadline-exceeded', 4) },
    { loss: 'reset', error: expect.objectContaining({ code: 13 }) },
    { loss: 'timeout', error: failure('timeout', 10) },
  ] as const) {
    test(`by ${loss} is written, and its repetition succeeds and writes nothing`, async () => {
      const client = clientOf(server.url)
      const stream = aStream()
      const events = someEvents(2)
      // Connects first, so that the deadline of the append is not spent on that.
      expect(await errorOf(gather(client.readStream(stream)))).toMatchObject({ type: 'stream-not-found' })
      Object.assign(server.faults, { lostAnswers: 1, loss })
      const lost = client.appendToStream(stream, events, {
        expectedRevision: 'no_stream',
        credentials: { username: '', password: '' },
        deadline: 1000,
      })
      expect(await errorOf(lost)).toEqual(error)
      expect(await lengthOf(stream)).toBe(2)
      expect(await append(client, stream, 'no_stream', events)).toMatchObject({ nextExpectedRevision: 1n })
      expect(await lengthOf(stream)).toBe(2)
    })
  }
})

describe('a refused append', () => {
  test('fails with the errors of the real server and writes nothing', async () => {
    const client = clientOf(server.url)
    const refusals = [
      ['no-leader', failure('unknown', 2)],
      ['not-ready', failure('unavailable', 14)],
      ['too-busy', failure('unavailable', 14)],
      ['timeout', failure('timeout', 10)],
      ['access-denied', failure('access-denied', 7)],
      [
        { leader: { host: '127.0.0.1', port: server.port } },
        expect.objectContaining({ type: 'not-leader', leader: { address: '127.0.0.1', port: server.port } }),
      ],
    ] as const
    const stream = aStream()
    for (const [refusal, error] of refusals) {
      server.faults.refuseAppends = refusal
      expect(await errorOf(append(client, stream, 'no_stream', anEvent()))).toEqual(error)
    }
    server.faults.refuseAppends = null
    expect(await errorOf(lengthOf(stream))).toMatchObject({ type: 'stream-not-found' })
    await append(client, stream, 'no_stream', anEvent())
  })

  test('does not affect reads, and reads can be refused separately', async () => {
    const client = clientOf(server.url)
    const stream = aStream()
    await append(client, stream, 'no_stream', anEvent())
    server.faults.refuseAppends = 'no-leader'
    expect(await lengthOf(stream)).toBe(1)
    server.faults.refuseReads = 'not-ready'
    expect(await errorOf(lengthOf(stream))).toEqual(failure('unavailable', 14))
  })
})

describe('a frozen server', () => {
  test('answers nothing until it thaws, then all waiting calls', async () => {
    const client = clientOf(server.url)
    const stream = aStream()
    await append(client, stream, 'no_stream', anEvent())
    server.faults.frozen = true
    const options = { credentials: { username: '', password: '' }, expectedRevision: 0n, deadline: 200 }
    expect(await errorOf(client.appendToStream(stream, anEvent(), options))).toEqual(
      failure('deadline-exceeded', 4),
    )
    const patient = append(client, aStream(), 'no_stream', anEvent())
    const read = lengthOf(stream)
    server.faults.frozen = false
    expect(await patient).toMatchObject({ success: true })
    expect(await read).toBeGreaterThanOrEqual(1)
  })

  test('delivers no events to its subscribers until it thaws', async () => {
    const cluster = await startCluster(2)
    afterAll(() => cluster.stop())
    const [leader, follower] = cluster.nodes.map(({ url }) => clientOf(url))
    const [running, frozen] = [leader!, follower!].map((of) =>
      listenTo(of.subscribeToAll({ fromPosition: 'end' })),
    )
    const has = (kind: string) => (events: readonly { readonly kind: string }[]) =>
      kinds(events).includes(kind)
    await Promise.all([running!.until(has('caughtUp')), frozen!.until(has('caughtUp'))])
    cluster.nodes[1]!.faults.frozen = true
    const event = anEvent()
    await append(leader!, aStream(), 'no_stream', event)
    await running!.until(has('event'))
    expect(frozen!.ids()).toEqual([])
    cluster.nodes[1]!.faults.frozen = false
    await frozen!.until(has('event'))
    expect(frozen!.ids()).toEqual([event.id])
  })
})

test('latency delays every answer and event', async () => {
  const client = clientOf(server.url)
  const { until } = listenTo(client.subscribeToAll({ fromPosition: 'end' }))
  await until((all) => kinds(all).includes('caughtUp'))
  server.faults.latency = 150
  const before = performance.now()
  await append(client, aStream(), 'no_stream', anEvent())
  expect(performance.now() - before).toBeGreaterThanOrEqual(149)
  await until((all) => kinds(all).includes('event'))
  expect(performance.now() - before).toBeGreaterThanOrEqual(149)
})

describe('connections', () => {
  test('that are cut end every call as unavailable, and the client reconnects', async () => {
    const client = clientOf(server.url)
    const stream = aStream()
    await append(client, stream, 'no_stream', anEvent())
    const { events, until } = listenTo(client.subscribeToAll({ fromPosition: 'end' }))
    await until((all) => kinds(all).includes('caughtUp'))
    server.faults.lostAnswers = 1
    const pending = errorOf(append(client, stream, 0n, anEvent()))
    while ((await lengthOf(stream)) < 2);
    server.faults.cutConnections()
    expect(await pending).toEqual(failure('unavailable', 14))
    await until((all) => kinds(all).includes('error'))
    expect(events.at(-1)).toEqual({ kind: 'error', error: failure('unavailable', 14) })
    expect(await append(client, stream, 1n, anEvent())).toMatchObject({ nextExpectedRevision: 2n })
  })

  test('that are refused fail calls as unavailable until they are accepted again', async () => {
    const client = clientOf(server.url)
    server.faults.refuseConnections(true)
    expect(await errorOf(append(client, aStream(), 'no_stream', anEvent()))).toMatchObject({ code: 14 })
    server.faults.refuseConnections(false)
    let written = false
    // The client waits before it reconnects, and fails calls in the meantime.
    while (!written) {
      written = await append(clientOf(server.url), aStream(), 'no_stream', anEvent()).then(
        () => true,
        (error) => {
          expect(error).toMatchObject({ code: 14 })
          return false
        },
      )
    }
  })

  test('to a stopped server fail', async () => {
    const client = clientOf(server.url)
    await append(client, aStream(), 'no_stream', anEvent())
    await server.stop()
    expect(await errorOf(append(client, aStream(), 'no_stream', anEvent()))).toMatchObject({ code: 14 })
  })
})

test('a dropped subscription ends with the error of the real server', async () => {
  const { events, until } = listenTo(clientOf(server.url).subscribeToAll({ fromPosition: 'end' }))
  await until((all) => kinds(all).includes('caughtUp'))
  server.faults.dropSubscriptions()
  await until((all) => kinds(all).includes('error'))
  expect(events.at(-1)).toEqual({ kind: 'error', error: failure('timeout', 10) })
})
