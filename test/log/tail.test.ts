import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { anEvent, aStream, someEvents } from '../../rigs/contract/events.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import type { Recorded } from '../../src/log/event-log.ts'
import { openSqliteLog, type SqliteLog } from '../../src/log/sqlite/log.ts'
import { Tail } from '../../src/log/tail.ts'

const folder = temporaryFolder()
let log: SqliteLog
let tail: Tail

beforeAll(async () => {
  log = openSqliteLog(join(folder, 'log.db'))
  await log.append(aStream(), 'no-stream', someEvents(10))
  tail = new Tail(log)
  await tail.start()
})
afterAll(async () => {
  await tail.stop()
  await log.close()
})

/** Collects a listener's events; `enough` resolves at `count` events. */
function hears(count: number, listen: (listener: (event: Recorded) => void) => () => void) {
  const events: Recorded[] = []
  const enough = Promise.withResolvers<void>()
  const stop = listen((event) => {
    events.push(event)
    if (events.length === count) enough.resolve()
  })
  return { events, enough: enough.promise, stop }
}
const revisions = (events: readonly Recorded[]) => events.map((e) => e.revision)

test('a listener of a stream receives its new events in order, and none of other streams', async () => {
  const [stream, other] = [aStream(), aStream()]
  const { events, enough, stop } = hears(3, (listener) => tail.on(stream, listener))
  await log.append(other, 'no-stream', someEvents(3))
  await log.append(stream, 'no-stream', someEvents(2))
  await log.append(stream, 1, [anEvent()])
  await enough
  stop()
  expect(events.every((e) => e.stream === stream)).toBe(true)
  expect(revisions(events)).toEqual([0, 1, 2])
})

test('a listener of all streams receives new events, but none from before the start', async () => {
  const stream = aStream()
  const { events, enough, stop } = hears(2, (listener) => tail.all(listener))
  await log.append(stream, 'no-stream', someEvents(2))
  await enough
  stop()
  expect(events).toEqual([...(await log.readStream(stream))])
  expect(events.every((e) => e.stream === stream)).toBe(true)
})

test('listening first and then reading misses no event', async () => {
  const stream = aStream()
  await log.append(stream, 'no-stream', [anEvent()])
  const events: Recorded[] = []
  const last = Promise.withResolvers<void>()
  const stop = tail.on(stream, (event) => {
    events.push(event)
    if (event.revision === 2) last.resolve()
  })
  const appending = log.append(stream, 0, [anEvent()])
  const read = await log.readStream(stream)
  await appending
  // This event can only be heard; earlier ones are read, heard or both.
  await log.append(stream, 1, [anEvent()])
  await last.promise
  stop()
  const all = new Set([...revisions(read), ...revisions(events)])
  expect([...all].sort()).toEqual([0, 1, 2])
})

test('listeners of one stream are independent, and a stopped one receives no more events', async () => {
  const stream = aStream()
  const first = hears(1, (listener) => tail.on(stream, listener))
  const second = hears(2, (listener) => tail.on(stream, listener))
  await log.append(stream, 'no-stream', [anEvent()])
  await first.enough
  first.stop()
  first.stop()
  await log.append(stream, 0, [anEvent()])
  await second.enough
  second.stop()
  expect(revisions(first.events)).toEqual([0])
  expect(revisions(second.events)).toEqual([0, 1])
})

test('a listener can stop itself and add another listener during an event', async () => {
  const stream = aStream()
  const later = Promise.withResolvers<Recorded>()
  const stop = tail.on(stream, () => {
    stop()
    const stopLater = tail.on(stream, (event) => {
      stopLater()
      later.resolve(event)
    })
  })
  await log.append(stream, 'no-stream', [anEvent()])
  await log.append(stream, 0, [anEvent()])
  expect((await later.promise).revision).toBe(1)
})

test('a stopped tail delivers no more events to its listeners', async () => {
  const own = new Tail(log)
  await own.start()
  const stream = aStream()
  const { events } = hears(1, (listener) => own.on(stream, listener))
  await own.stop()
  await log.append(stream, 'no-stream', [anEvent()])
  const { enough, stop } = hears(1, (listener) => tail.on(stream, listener))
  await log.append(stream, 0, [anEvent()])
  await enough
  stop()
  expect(events).toEqual([])
})
