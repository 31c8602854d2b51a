import { describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { WrongExpectedVersionError } from '@eventstore/db-client'
import {
  anEvent,
  append,
  aStream,
  credentials,
  errorOf,
  failure,
  gather,
  openTarget,
  someEvents,
} from './target.ts'

const { client } = await openTarget()
const write = append.bind(null, client)
const lengthOf = async (stream: string) => (await gather(client.readStream(stream))).length

describe('an append', () => {
  test('counts revisions from 0 and returns the last one, with the position of that event', async () => {
    const stream = aStream()
    const first = await write(stream, 'no_stream', someEvents(3))
    expect(first).toMatchObject({ success: true, nextExpectedRevision: 2n })
    const second = await write(stream, 2n, anEvent())
    expect(second).toMatchObject({ success: true, nextExpectedRevision: 3n })
    const events = await gather(client.readStream(stream))
    expect(events.map(({ event }) => event!.revision)).toEqual([0n, 1n, 2n, 3n])
    expect(first.position).toEqual(events[2]!.event!.position)
    expect(second.position).toEqual(events[3]!.event!.position)
  })

  test('stores the event as given, with the time of the write', async () => {
    const stream = aStream()
    const event = anEvent({ text: 'zażółć 😀', list: [1, null] }, randomUUID().toUpperCase())
    const before = Date.now()
    await write(stream, 'no_stream', event)
    const [read] = await gather(client.readStream(stream))
    expect(read!.event).toMatchObject({
      // The server returns ids in lower case.
      id: event.id.toLowerCase(),
      type: event.type,
      data: event.data,
      metadata: { of: 'test' },
      streamId: stream,
      isJson: true,
    })
    expect(Math.abs(read!.event!.created.getTime() - before)).toBeLessThan(60_000)
  })

  test('positions are a pair of equal numbers that grow by more than one', async () => {
    const stream = aStream()
    await write(stream, 'no_stream', someEvents(2))
    const [a, b] = (await gather(client.readStream(stream))).map(({ event }) => event!.position!)
    expect(a!.commit).toBe(a!.prepare)
    expect(b!.commit - a!.commit).toBeGreaterThan(50n)
  })

  test('at another revision fails with wrong-expected-version and the actual revision', async () => {
    const stream = aStream()
    const wrong = async (expected: 'no_stream' | 'stream_exists' | bigint, actual: bigint | 'no_stream') => {
      const error = await errorOf(write(stream, expected, anEvent()))
      expect(error).toBeInstanceOf(WrongExpectedVersionError)
      expect(error).toMatchObject({
        type: 'wrong-expected-version',
        actualVersion: actual,
        streamName: stream,
      })
    }
    await wrong(0n, 'no_stream')
    await wrong('stream_exists', 'no_stream')
    await write(stream, 'any', someEvents(3))
    await wrong('no_stream', 2n)
    await wrong(0n, 2n)
    await wrong(1n, 2n)
    await wrong(3n, 2n)
    await write(stream, 'stream_exists', anEvent())
    expect(await lengthOf(stream)).toBe(4)
  })

  test('exactly one of 60 concurrent appends at one revision succeeds', async () => {
    const stream = aStream()
    await write(stream, 'no_stream', anEvent())
    const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => write(stream, 0n, anEvent())))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason.type).toBe('wrong-expected-version')
    }
    expect(await lengthOf(stream)).toBe(2)
  })

  test('without events succeeds and creates no stream', async () => {
    const stream = aStream()
    expect(await write(stream, 'no_stream', [])).toMatchObject({ success: true, nextExpectedRevision: 0n })
    expect(await errorOf(lengthOf(stream))).toMatchObject({ type: 'stream-not-found' })
  })

  test('of 500 events is written as a whole', async () => {
    const stream = aStream()
    await write(stream, 'no_stream', someEvents(500))
    expect(await lengthOf(stream)).toBe(500)
  })

  test('of 1,023 KiB is written; one above 1 MiB is refused and writes nothing', async () => {
    const [stream, other] = [aStream(), aStream()]
    const ofKib = (kib: number) => anEvent({ text: 'x'.repeat(kib * 1024 - 20) })
    await write(stream, 'no_stream', [ofKib(511), ofKib(511)])
    expect(await lengthOf(stream)).toBe(2)
    const error = await errorOf(write(other, 'no_stream', [ofKib(600), ofKib(600)]))
    expect(error).toMatchObject({ type: 'maximum-append-size-exceeded', maxAppendSize: 1_048_576 })
    expect(await errorOf(lengthOf(other))).toMatchObject({ type: 'stream-not-found' })
  })

  test('of 20 MiB is refused with code 8', async () => {
    const error = await errorOf(
      write(aStream(), 'no_stream', anEvent({ text: 'x'.repeat(20 * 1024 * 1024) })),
    )
    expect(error).toMatchObject({ code: 8 })
  })

  test('with a bad id, an empty type or an empty stream name fails with an unknown error', async () => {
    const stream = aStream()
    expect(await errorOf(write(stream, 'any', anEvent({}, 'no-uuid')))).toEqual(failure('unknown', 2))
    expect(await errorOf(write(stream, 'any', { ...anEvent(), type: '' }))).toEqual(failure('unknown', 2))
    expect(await errorOf(write('', 'any', anEvent()))).toEqual(failure('unknown', 2))
  })

  test('needs no credentials', async () => {
    const stream = aStream()
    await client.appendToStream(stream, anEvent(), { expectedRevision: 'no_stream' })
    await client.appendToStream(stream, anEvent(), { expectedRevision: 0n, credentials })
    expect(await lengthOf(stream)).toBe(2)
  })
})

describe('a repeated append', () => {
  test('succeeds with the first revision and position, also after further appends', async () => {
    const stream = aStream()
    const [first, second] = [someEvents(3), someEvents(2)]
    const written = [await write(stream, 'no_stream', first), await write(stream, 2n, second)]
    expect(await write(stream, 2n, second)).toEqual(written[1]!)
    expect(await write(stream, 'no_stream', first)).toEqual(written[0]!)
    expect(await lengthOf(stream)).toBe(5)
  })

  test('succeeds with its first events only, and returns the revision of the last of them', async () => {
    const stream = aStream()
    const events = someEvents(4)
    await write(stream, 'no_stream', events)
    const again = await write(stream, 'no_stream', events.slice(0, 2))
    expect(again).toMatchObject({ success: true, nextExpectedRevision: 1n })
    expect(again.position).toEqual((await gather(client.readStream(stream)))[1]!.event!.position!)
    expect(await lengthOf(stream)).toBe(4)
  })

  test('with one event more, or starting at a middle event, fails with wrong-expected-version', async () => {
    const stream = aStream()
    const events = someEvents(3)
    await write(stream, 'no_stream', events)
    for (const other of [[...events, anEvent()], [events[1]!], [events[1]!, events[0]!]]) {
      const error = await errorOf(write(stream, 'no_stream', other))
      expect(error).toMatchObject({ type: 'wrong-expected-version', actualVersion: 2n })
    }
    expect(await lengthOf(stream)).toBe(3)
  })

  test('is recognized by its ids, not by its content: the old event stays', async () => {
    const stream = aStream()
    const id = randomUUID()
    const first = await write(stream, 'no_stream', anEvent({ is: 'old' }, id))
    expect(await write(stream, 'no_stream', anEvent({ is: 'new' }, id))).toEqual(first)
    expect((await gather(client.readStream(stream))).map(({ event }) => event!.data)).toEqual([{ is: 'old' }])
  })

  test('event ids need not be unique: at another revision, in another stream or in one append', async () => {
    const [stream, other] = [aStream(), aStream()]
    const event = anEvent()
    await write(stream, 'no_stream', event)
    await write(stream, 0n, event)
    await write(other, 'no_stream', [event, event])
    expect([await lengthOf(stream), await lengthOf(other)]).toEqual([2, 2])
  })

  test('at "any" and "stream exists" succeeds while the server remembers its ids', async () => {
    const stream = aStream()
    const events = someEvents(2)
    const first = await write(stream, 'any', events)
    expect(await write(stream, 'any', events)).toEqual(first)
    expect(await write(stream, 'stream_exists', events)).toEqual(first)
    expect(await lengthOf(stream)).toBe(2)
    const error = await errorOf(write(stream, 'any', [...events, anEvent()]))
    expect(error).toMatchObject({ type: 'wrong-expected-version' })
  })
})
