/**
 * The call over which appends go, when it fails: what was under way is told at once, and the next append has a new one.
 *
 * @module
 */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { StoreUnavailable } from '../../../src/log/event-log.ts'
import { Appends } from '../../../src/log/eventstore/appends.ts'
import { type Connection, connect } from '../../../src/log/eventstore/connection.ts'
import { type EventStoreCluster, startCluster } from '../../eventstore/cluster.ts'
import { type EventStore, startEventStore } from '../../eventstore/server.ts'

let store: EventStore
let connection: Connection
let opened: number
let appends: Appends
beforeEach(async () => {
  store = await startEventStore()
  use(store.url)
})
afterEach(async () => {
  await connection.close()
  await store.stop()
})

/** Appends over calls that are counted. */
function use(url: string): void {
  connection = connect(url)
  opened = 0
  appends = new Appends(() => {
    opened++
    return connection.openAppends()
  })
}

const aStream = () => `fact-${randomUUID()}`
const anEvent = (data = '{}') => ({ id: randomUUID(), type: 'Fact', data, meta: '{}' })
const append = (ms = 5000) => appends.append(aStream(), 'no-stream', [anEvent()], ms)
const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

test('many appends at once share one call', async () => {
  const outcomes = await Promise.all(Array.from({ length: 500 }, () => append()))
  expect(new Set(outcomes.map((outcome) => outcome.kind))).toEqual(new Set(['written']))
  expect(opened).toBe(1)
})

test('what was written, what was expected wrongly and what is too large is told apart', async () => {
  const stream = aStream()
  const at = (expected: 'no-stream' | number, data?: string) =>
    appends.append(stream, expected, [anEvent(data)], 5000)
  expect(await at(0)).toEqual({ kind: 'wrong-revision', actual: null })
  expect(await at('no-stream')).toEqual({
    kind: 'written',
    revision: 0,
    position: expect.any(Number) as unknown as number,
  })
  expect(await at('no-stream')).toEqual({ kind: 'wrong-revision', actual: 0 })
  expect(await at(0, `"${'x'.repeat(1_100_000)}"`)).toEqual({ kind: 'too-large' })
  expect(opened).toBe(1)
})

test('an answer that never comes is waited for no longer than was said; while others come, the call stays', async () => {
  await append()
  store.faults.lostAnswers = 1
  const lost = errorOf(append(400))
  const timer = setInterval(() => void append(), 20)
  expect(await lost).toBeInstanceOf(StoreUnavailable)
  clearInterval(timer)
  await append()
  expect(opened).toBe(1)
})

test('a call on which nothing comes any more is given up', async () => {
  await append()
  store.faults.frozen = true
  const late = await Promise.all([errorOf(append(300)), errorOf(append(5000))])
  // The one that had more time is told at once as well, so that it can be sent again.
  for (const error of late) expect(error).toBeInstanceOf(StoreUnavailable)
  store.faults.frozen = false
  await append()
  expect(opened).toBe(2)
})

test('a call that breaks off fails all that is under way', async () => {
  await append()
  Object.assign(store.faults, { lostAnswers: 1, loss: 'reset' })
  store.faults.latency = 200
  const errors = await Promise.all([errorOf(append()), errorOf(append())])
  for (const error of errors) expect(error).toBeInstanceOf(StoreUnavailable)
  store.faults.latency = 0
  await append()
  expect(opened).toBe(2)
})

test('a call that can not be opened fails what waits for it, in time, and is tried again', async () => {
  store.faults.refuseConnections(true)
  expect(await errorOf(append(1000))).toBeInstanceOf(StoreUnavailable)
  store.faults.refuseConnections(false)
  while ((await errorOf(append())) !== undefined);
})

test('at a node that does not lead any more, the next call goes to the leader', async () => {
  const cluster: EventStoreCluster = await startCluster(3)
  await connection.close()
  use(cluster.url)
  await append()
  cluster.lead(1)
  expect(await errorOf(append())).toBeInstanceOf(StoreUnavailable)
  expect(await append()).toMatchObject({ kind: 'written' })
  expect(opened).toBe(2)
  await connection.close()
  await cluster.stop()
  use(store.url)
})

test('where no node leads, an append fails as an unavailable store', async () => {
  const cluster = await startCluster(2)
  cluster.lead(null)
  await connection.close()
  use(`${cluster.url}&maxDiscoverAttempts=2&discoveryInterval=20`)
  expect(await errorOf(append())).toBeInstanceOf(StoreUnavailable)
  cluster.lead(0)
  expect(await append()).toMatchObject({ kind: 'written' })
  await connection.close()
  await cluster.stop()
  use(store.url)
})

test('the error of an answer says what the server said', async () => {
  store.faults.refuseAppends = 'no-leader'
  expect(String(await errorOf(append()))).toContain('No leader info available')
  store.faults.refuseAppends = 'timeout'
  expect(String(await errorOf(append()))).toContain('Timeout')
  store.faults.refuseAppends = null
  await append()
  expect(opened).toBe(1)
})
