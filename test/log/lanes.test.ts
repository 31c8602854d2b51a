/**
 * Appends on their way: what follows another is never sent when that one has failed.
 *
 * @module
 */
import { expect, test } from 'bun:test'
import { encode } from '../../src/log/encoded.ts'
import { EventTooLarge, StoreUnavailable, WrongExpectedRevision } from '../../src/log/event-log.ts'
import { Lanes } from '../../src/log/eventstore-lanes.ts'
import { anEvent, aStream, someEvents } from '../contract/events.ts'

/** A chain of appends to one stream, each right behind the one before it. */
function chain(lanes: Lanes, stream: ReturnType<typeof aStream>, count: number) {
  let last: Promise<unknown> | undefined
  return Array.from({ length: count }, (_, i) => {
    last = lanes.append(stream, i === 0 ? 'no-stream' : i - 1, encode(stream, [anEvent()]), [last])
    return last
  })
}

test('a chain goes in two calls: what arrives during the first goes together', async () => {
  const sizes: number[] = []
  const lanes = new Lanes(async (_, expected, events) => {
    sizes.push(events.length)
    await new Promise((go) => setImmediate(go))
    return (expected === 'no-stream' ? -1 : expected) + events.length
  })
  const appended = await Promise.all(chain(lanes, aStream(), 10))
  expect(appended).toEqual(Array.from({ length: 10 }, (_, revision) => ({ revision })))
  expect(sizes).toEqual([1, 9])
})

test.each([1, 2, 3, 7, 20])(
  'all %d behind one that is refused fail with its error, and are not sent',
  async (behind) => {
    const stream = aStream()
    const error = new WrongExpectedRevision(stream, 'no-stream', 5)
    let calls = 0
    const lanes = new Lanes(async () => {
      calls++
      await new Promise((go) => setImmediate(go))
      throw error
    })
    const outcomes = await Promise.allSettled(chain(lanes, stream, behind + 1))
    expect(outcomes.map((o) => o.status === 'rejected' && o.reason === error)).toEqual(
      outcomes.map(() => true),
    )
    await new Promise((go) => setTimeout(go, 5))
    expect(calls).toBe(1)
  },
)

test('those that went together and were refused are tried one by one, up to the first that is refused', async () => {
  const stream = aStream()
  const calls: number[] = []
  const error = new WrongExpectedRevision(stream, 1, 9)
  const lanes = new Lanes(async (_, expected, events) => {
    calls.push(events.length)
    await new Promise((go) => setImmediate(go))
    const at = expected === 'no-stream' ? -1 : expected
    // The first and the second are there, the third is somebody else's.
    if (at + events.length > 1) throw error
    return at + events.length
  })
  const outcomes = await Promise.allSettled(chain(lanes, stream, 5))
  expect(outcomes.map((o) => (o.status === 'rejected' ? o.reason : o.value))).toEqual([
    { revision: 0 },
    { revision: 1 },
    error,
    error,
    error,
  ])
  expect(calls).toEqual([1, 4, 1, 1])
})

test('one that waits for something else does not hold up the others of its stream', async () => {
  const stream = aStream()
  const lanes = new Lanes(async (_, expected, events) => Number(expected) + events.length)
  const never = new Promise<void>(() => {})
  lanes.append(stream, 3, encode(stream, [anEvent()]), [never]).catch(() => {})
  expect(await lanes.append(stream, 7, encode(stream, [anEvent()]))).toEqual({ revision: 8 })
})

test('a chain is cut to what the server takes at once', async () => {
  const stream = aStream()
  const sizes: number[] = []
  const lanes = new Lanes(async (_, expected, events) => {
    sizes.push(events.length)
    await new Promise((go) => setImmediate(go))
    return (expected === 'no-stream' ? -1 : expected) + events.length
  })
  let last: Promise<unknown> | undefined
  for (let i = 0; i < 5; i++)
    last = lanes.append(stream, i === 0 ? 'no-stream' : i * 300 - 1, encode(stream, someEvents(300)), [last])
  await last
  expect(sizes).toEqual([300, 300, 300, 300, 300])
})

test('whatever the error is, it reaches all behind it', async () => {
  for (const error of [new StoreUnavailable('away'), new EventTooLarge('large'), new Error('defect')]) {
    const lanes = new Lanes(() => Promise.reject(error))
    const outcomes = await Promise.allSettled(chain(lanes, aStream(), 4))
    expect(outcomes.map((o) => o.status === 'rejected' && o.reason)).toEqual([error, error, error, error])
  }
})
