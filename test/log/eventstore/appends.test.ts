/**
 * Failures of the call that carries appends: running appends fail at once, and the next append opens a new call.
 *
 * @module
 */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { type EventStoreCluster, startCluster } from '../../../rigs/servers/eventstore/cluster.ts'
import { type EventStore, startEventStore } from '../../../rigs/servers/eventstore/server.ts'
import { StoreUnavailable } from '../../../src/log/event-log.ts'
import { Appends } from '../../../src/log/eventstore/appends.ts'
import { type Connection, connect } from '../../../src/log/eventstore/connection.ts'

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

/** Sends appends and counts the opened calls. */
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

test('500 concurrent appends share one call', async () => {
  const outcomes = await Promise.all(Array.from({ length: 500 }, () => append()))
  expect(new Set(outcomes.map((outcome) => outcome.kind))).toEqual(new Set(['written']))
  expect(opened).toBe(1)
})

test('an append returns written, wrong-revision or too-large', async () => {
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

test('a lost answer fails at its deadline, and the call stays open while other answers arrive', async () => {
  await append()
  store.faults.lostAnswers = 1
  const lost = errorOf(append(400))
  const timer = setInterval(() => void append(), 20)
  expect(await lost).toBeInstanceOf(StoreUnavailable)
  clearInterval(timer)
  await append()
  expect(opened).toBe(1)
})

test('a call without any answers is closed, and the next append opens a new one', async () => {
  await append()
  store.faults.frozen = true
  const late = await Promise.all([errorOf(append(300)), errorOf(append(5000))])
  // The append with the later deadline fails at once as well, so that it can be sent again.
  for (const error of late) expect(error).toBeInstanceOf(StoreUnavailable)
  store.faults.frozen = false
  await append()
  expect(opened).toBe(2)
})

test('a broken call fails all its running appends, and the next append opens a new one', async () => {
  await append()
  Object.assign(store.faults, { lostAnswers: 1, loss: 'reset' })
  store.faults.latency = 200
  const errors = await Promise.all([errorOf(append()), errorOf(append())])
  for (const error of errors) expect(error).toBeInstanceOf(StoreUnavailable)
  store.faults.latency = 0
  await append()
  expect(opened).toBe(2)
})

test('an append fails when its call cannot be opened, and later appends succeed', async () => {
  store.faults.refuseConnections(true)
  expect(await errorOf(append(1000))).toBeInstanceOf(StoreUnavailable)
  store.faults.refuseConnections(false)
  while ((await errorOf(append())) !== undefined);
})

test('after a change of leader one append fails, and the next call goes to the new leader', async () => {
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

test('an append without a leader fails with StoreUnavailable, and works once a node leads', async () => {
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

test('the error of a refused append contains the reason of the server', async () => {
  store.faults.refuseAppends = 'no-leader'
  expect(String(await errorOf(append()))).toContain('No leader info available')
  store.faults.refuseAppends = 'timeout'
  expect(String(await errorOf(append()))).toContain('Timeout')
  store.faults.refuseAppends = null
  await append()
  expect(opened).toBe(1)
})
