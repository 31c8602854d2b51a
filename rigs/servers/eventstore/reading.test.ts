import { describe, expect, test } from 'bun:test'
import { StreamDeletedError, StreamNotFoundError } from '@eventstore/db-client'
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

/** A stream of `count` events; `read` returns revisions. */
async function written(count: number) {
  const stream = aStream()
  await write(stream, 'no_stream', someEvents(count))
  const read = async (options: Parameters<typeof client.readStream>[1] = {}) =>
    (await gather(client.readStream(stream, options))).map(({ event }) => Number(event!.revision))
  return { stream, read }
}

describe('a read of a stream', () => {
  test('starts at a revision, ends after a count, and is empty beyond the end', async () => {
    const { read } = await written(5)
    expect(await read()).toEqual([0, 1, 2, 3, 4])
    expect(await read({ fromRevision: 3n })).toEqual([3, 4])
    expect(await read({ fromRevision: 1n, maxCount: 2 })).toEqual([1, 2])
    expect(await read({ fromRevision: 5n })).toEqual([])
    expect(await read({ fromRevision: 99n })).toEqual([])
  })

  test('runs backwards from the end or a revision; without a revision it returns only the first event', async () => {
    const { read } = await written(5)
    expect(await read({ direction: 'backwards', fromRevision: 'end' })).toEqual([4, 3, 2, 1, 0])
    expect(await read({ direction: 'backwards', fromRevision: 'end', maxCount: 1 })).toEqual([4])
    expect(await read({ direction: 'backwards', fromRevision: 2n })).toEqual([2, 1, 0])
    expect(await read({ direction: 'backwards' })).toEqual([0])
  })

  test('returns a long stream completely in both directions', async () => {
    const { read } = await written(600)
    const all = Array.from({ length: 600 }, (_, n) => n)
    expect(await read()).toEqual(all)
    expect(await read({ direction: 'backwards', fromRevision: 'end' })).toEqual(all.reverse())
  })

  test('of a missing stream fails with StreamNotFoundError', async () => {
    const error = await errorOf(gather(client.readStream(aStream())))
    expect(error).toBeInstanceOf(StreamNotFoundError)
    const backwards = client.readStream(aStream(), { direction: 'backwards', fromRevision: 'end' })
    expect(await errorOf(gather(backwards))).toBeInstanceOf(StreamNotFoundError)
  })

  test('with a count of 0, or forwards from the end, fails with an unknown error', async () => {
    const { stream } = await written(1)
    expect(await errorOf(gather(client.readStream(stream, { maxCount: 0 })))).toEqual(failure('unknown', 2))
    expect(await errorOf(gather(client.readStream(stream, { fromRevision: 'end' })))).toEqual(
      failure('unknown', 2),
    )
  })

  // A read that is left without a cancel occupies one of the connection's 100 calls forever, on the real server too.
  test('that is cancelled frees its call', async () => {
    const { stream, read } = await written(100)
    for (let i = 0; i < 120; i++) {
      const reading = client.readStream(stream)
      await gather(reading, 1)
      await reading.cancel()
    }
    expect(await read({ maxCount: 1 })).toEqual([0])
  })
})

describe('a read of all streams', () => {
  test('includes its position forwards and excludes it backwards', async () => {
    const stream = aStream()
    await write(stream, 'no_stream', someEvents(3))
    const [first, second] = await gather(client.readStream(stream))
    const forwards = await gather(client.readAll({ fromPosition: second!.event!.position!, maxCount: 1 }))
    expect(forwards[0]!.event!.id).toBe(second!.event!.id)
    const backwards = await gather(
      client.readAll({ fromPosition: second!.event!.position!, direction: 'backwards', maxCount: 1 }),
    )
    expect(backwards[0]!.event!.id).toBe(first!.event!.id)
  })

  test('contains system events, and every event once in the order of positions', async () => {
    await write(aStream(), 'no_stream', someEvents(300))
    const events = (await gather(client.readAll({ maxCount: 2_000 }))).map(({ event }) => event!)
    expect(events.some(({ streamId }) => streamId.startsWith('$'))).toBe(true)
    const positions = events.map(({ position }) => position!.commit)
    expect(positions).toEqual([...new Set(positions)].sort((x, y) => (x < y ? -1 : 1)))
  })

  test('backwards from the end starts with the newest events', async () => {
    const stream = aStream()
    const { position } = await write(stream, 'no_stream', someEvents(2))
    const resolvedEvents = await gather(
      client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 50 }),
    )
    expect(resolvedEvents.some(({ event }) => event!.position!.commit === position!.commit)).toBe(true)
  })

  test('forwards from the end or beyond it is empty, and so is backwards from the start', async () => {
    const { position } = await write(aStream(), 'no_stream', anEvent())
    const far = 1_000_000_000n
    const beyond = { commit: position!.commit + far, prepare: position!.prepare + far }
    expect(await gather(client.readAll({ fromPosition: beyond }))).toEqual([])
    expect(await gather(client.readAll({ fromPosition: 'end' }))).toEqual([])
    expect(await gather(client.readAll({ direction: 'backwards', fromPosition: 'start' }))).toEqual([])
  })

  test('from a position without an event, or backwards from beyond the end, fails with an unknown error', async () => {
    const { position } = await write(aStream(), 'no_stream', anEvent())
    const at = (offset: bigint) => ({
      commit: position!.commit + offset,
      prepare: position!.prepare + offset,
    })
    const between = client.readAll({ fromPosition: at(-5n), maxCount: 1 })
    expect(await errorOf(gather(between))).toEqual(failure('unknown', 2))
    const beyond = client.readAll({ fromPosition: at(1_000_000n), direction: 'backwards', maxCount: 1 })
    expect(await errorOf(gather(beyond))).toEqual(failure('unknown', 2))
    const zero = client.readAll({ fromPosition: { commit: 0n, prepare: 0n }, maxCount: 1 })
    expect(await gather(zero)).toHaveLength(1)
  })
})

describe('a deleted stream', () => {
  test('is not found, and its revisions continue when an append at "no stream" reopens it', async () => {
    const { stream, read } = await written(3)
    await client.deleteStream(stream)
    expect(await errorOf(read())).toBeInstanceOf(StreamNotFoundError)
    expect(await write(stream, 'no_stream', someEvents(2))).toMatchObject({ nextExpectedRevision: 4n })
    expect(await read()).toEqual([3, 4])
    expect(await read({ direction: 'backwards', fromRevision: 'end' })).toEqual([4, 3])
  })

  test('can be reopened by an append at its last revision', async () => {
    const { stream, read } = await written(3)
    await client.deleteStream(stream, { expectedRevision: 2n })
    await write(stream, 2n, anEvent())
    expect(await read()).toEqual([3])
  })

  test('stays in reads of all streams', async () => {
    const { stream } = await written(2)
    const [first] = await gather(client.readStream(stream))
    await client.deleteStream(stream)
    const resolvedEvents = await gather(
      client.readAll({ fromPosition: first!.event!.position!, maxCount: 2 }),
    )
    expect(resolvedEvents.map(({ event }) => event!.streamId)).toEqual([stream, stream])
  })

  test('with a tombstone refuses reads and appends forever', async () => {
    const { stream, read } = await written(2)
    await client.tombstoneStream(stream)
    const error = await errorOf(read())
    expect(error).toBeInstanceOf(StreamDeletedError)
    expect(error).toMatchObject({ code: 9, streamName: stream })
    for (const expected of ['no_stream', 'any', 1n] as const) {
      expect(await errorOf(write(stream, expected, anEvent()))).toBeInstanceOf(StreamDeletedError)
    }
  })

  test('must have existed: a missing stream can get a tombstone, but cannot be deleted', async () => {
    const stream = aStream()
    for (const expectedRevision of ['any', 'no_stream', 0n] as const) {
      const error = await errorOf(client.deleteStream(stream, { expectedRevision }))
      expect(error).toMatchObject({ type: 'wrong-expected-version', actualVersion: -1n })
    }
    await client.tombstoneStream(stream)
    expect(await errorOf(gather(client.readStream(stream)))).toBeInstanceOf(StreamDeletedError)
  })

  test('refuses "stream exists", and stays deleted when its first append is repeated', async () => {
    const stream = aStream()
    const events = someEvents(2)
    await write(stream, 'no_stream', events)
    await client.deleteStream(stream)
    expect(await errorOf(write(stream, 'stream_exists', anEvent()))).toBeInstanceOf(StreamDeletedError)
    const again = await write(stream, 'no_stream', events)
    // The answer has no position, because the event is hidden from reads.
    expect(again).toMatchObject({ success: true, nextExpectedRevision: 1n })
    expect(again.position).toBeUndefined()
    expect(await errorOf(gather(client.readStream(stream)))).toBeInstanceOf(StreamNotFoundError)
  })

  test('is not deleted at another revision', async () => {
    const { stream, read } = await written(2)
    const error = await errorOf(client.deleteStream(stream, { expectedRevision: 7n }))
    expect(error).toMatchObject({ type: 'wrong-expected-version' })
    expect(await read()).toEqual([0, 1])
  })
})

describe('stream metadata', () => {
  test('hides events from reads at once', async () => {
    const { stream, read } = await written(5)
    await client.setStreamMetadata(stream, { maxCount: 2 }, { credentials })
    expect(await read()).toEqual([3, 4])
    await client.setStreamMetadata(stream, { truncateBefore: 1 }, { credentials })
    expect(await read()).toEqual([1, 2, 3, 4])
    expect((await client.getStreamMetadata(stream)).metadata).toEqual({ truncateBefore: 1 })
    await client.setStreamMetadata(stream, { maxAge: 3600 }, { credentials })
    expect(await read()).toEqual([0, 1, 2, 3, 4])
  })
})
