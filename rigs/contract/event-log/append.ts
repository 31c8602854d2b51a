/**
 * The contract of event logs: appends at an expected revision, all or nothing.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import { EventTooLarge, MAX_EVENT_BYTES, WrongExpectedRevision } from '../../../src/log/event-log.ts'
import { anEvent, aStream, someEvents } from '../events.ts'
import { errorOf, gather, type Open, ofBytes, reasonsOf, usingOf, wrong } from './suite.ts'

/** Appends at an expected revision, all or nothing. */
export function appendContract(name: string, open: Open): void {
  const using = usingOf(open)

  describe(`${name}: append`, () => {
    test(
      'a read of a stream starts at any revision and ends at its limit',
      using(async (log) => {
        const stream = aStream()
        await log.append(stream, 'no-stream', someEvents(7))
        const whole = await log.readStream(stream)
        expect(await log.readStream(stream, 0, 3)).toEqual(whole.slice(0, 3))
        expect(await log.readStream(stream, 3, 3)).toEqual(whole.slice(3, 6))
        expect(await log.readStream(stream, 6, 3)).toEqual(whole.slice(6))
        expect(await log.readStream(stream, 7, 3)).toEqual([])
        expect(await log.readStream(stream, 0, 7)).toEqual(whole)
      }),
    )

    test(
      'an append succeeds as the first one of a stream and at exactly the last revision',
      using(async (log) => {
        const stream = aStream()
        const first = await log.append(stream, 'no-stream', [anEvent()])
        expect(first.revision).toBe(0)
        const second = await log.append(stream, 0, [anEvent()])
        expect(second.revision).toBe(1)
        const batch = await log.append(stream, 1, someEvents(3))
        expect(batch.revision).toBe(4)
        const read = await log.readStream(stream)
        expect(read.map((e) => e.revision)).toEqual([0, 1, 2, 3, 4])
        const positions = read.map((e) => e.position)
        expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b))
      }),
    )

    test(
      'an append at another revision is refused with the actual revision',
      using(async (log) => {
        const stream = aStream()
        expect(await errorOf(log.append(stream, 0, [anEvent()]))).toEqual(wrong(stream, 0, null))
        expect(await errorOf(log.append(stream, 7, [anEvent()]))).toEqual(wrong(stream, 7, null))
        await log.append(stream, 'no-stream', someEvents(3))
        for (const expected of ['no-stream', 0, 1, 3, 99] as const) {
          const error = await errorOf(log.append(stream, expected, [anEvent()]))
          expect(error).toBeInstanceOf(WrongExpectedRevision)
          expect(error).toEqual(wrong(stream, expected, 2))
        }
        expect(await log.readStream(stream)).toHaveLength(3)
      }),
    )

    test(
      'an append without events is refused and creates no stream',
      using(async (log) => {
        const stream = aStream()
        await expect((async () => log.append(stream, 'no-stream', []))()).rejects.toThrow(TypeError)
        expect(await log.readStream(stream)).toEqual([])
      }),
    )

    test(
      'exactly one of 60 concurrent appends at one revision is written',
      using(async (log) => {
        const stream = aStream()
        await log.append(stream, 'no-stream', [anEvent('first')])
        const outcomes = await Promise.allSettled(
          Array.from({ length: 60 }, (_, i) => log.append(stream, 0, [anEvent(`${i}`)])),
        )
        const lost = outcomes.filter((outcome) => outcome.status === 'rejected')
        expect(lost).toHaveLength(59)
        for (const { reason } of lost) expect(reason).toEqual(wrong(stream, 0, 1))
        expect(await log.readStream(stream)).toHaveLength(2)
      }),
    )

    test(
      'concurrent appends to many streams keep the order of each stream',
      using(async (log) => {
        const streams = Array.from({ length: 20 }, aStream)
        await Promise.all(
          streams.map(async (stream) => {
            for (let i = 0; i < 5; i++)
              await log.append(stream, i === 0 ? 'no-stream' : i - 1, [anEvent(`${i}`)])
          }),
        )
        for (const stream of streams) {
          const events = await log.readStream(stream)
          expect(reasonsOf(events)).toEqual(['0', '1', '2', '3', '4'])
          const positions = events.map((e) => e.position)
          expect(positions).toEqual([...positions].sort((a, b) => a - b))
        }
      }),
    )

    test(
      'several events are written all or none',
      using(async (log) => {
        const stream = aStream()
        const after = await log.head()
        await errorOf(log.append(stream, 3, someEvents(500)))
        await errorOf(log.append(stream, 'no-stream', [...someEvents(20), ofBytes(MAX_EVENT_BYTES + 1)]))
        expect(await log.readStream(stream)).toEqual([])
        const { revision } = await log.append(stream, 'no-stream', someEvents(500))
        expect(revision).toBe(499)
        const events = await gather(log, after, [stream], 500)
        expect(events.map((e) => e.revision)).toEqual(Array.from({ length: 500 }, (_, i) => i))
        expect(events).toEqual([...(await log.readStream(stream))])
      }),
    )

    test(
      'an event of 64 KiB is written, and a larger one is refused, counted in bytes',
      using(async (log) => {
        for (const letter of ['x', 'ż', '漢', '😀']) {
          const stream = aStream()
          const large = ofBytes(MAX_EVENT_BYTES, letter)
          const tooLarge = ofBytes(MAX_EVENT_BYTES + 1, letter)
          expect(await errorOf(log.append(stream, 'no-stream', [tooLarge]))).toBeInstanceOf(EventTooLarge)
          await log.append(stream, 'no-stream', [large])
          expect((await log.readStream(stream))[0]?.event).toEqual(large.event)
        }
      }),
    )
  })
}
