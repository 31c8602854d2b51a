/**
 * The contract of event logs: reads of one stream and of all streams.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import type { DomainEvent } from '../../../src/domain/events.ts'
import type { NewEvent, Position, Recorded } from '../../../src/log/event-log.ts'
import { aKeyStream, anEvent, aStream, someEvents } from '../events.ts'
import { gather, lastOf, type Open, reasonsOf, usingOf } from './suite.ts'

/** Reads of one stream and of all streams. */
export function readContract(name: string, open: Open): void {
  const using = usingOf(open)

  describe(`${name}: read`, () => {
    test(
      'a read beyond the end or of a missing stream does not affect later appends and reads',
      using(async (log) => {
        const [stream, missing] = [aStream(), aStream()]
        await log.append(stream, 'no-stream', [anEvent('0'), anEvent('1')])
        expect(await log.readStream(stream, 2)).toEqual([])
        expect(await log.readStream(stream, 7)).toEqual([])
        await log.append(stream, 1, [anEvent('2')])
        expect(reasonsOf(await log.readStream(stream, 2))).toEqual(['2'])
        expect(await log.readStream(missing)).toEqual([])
        expect(await log.readStream(missing, 3)).toEqual([])
        await log.append(missing, 'no-stream', [anEvent('3')])
        expect(reasonsOf(await log.readStream(missing))).toEqual(['3'])
      }),
    )

    test(
      'a missing stream has no events',
      using(async (log) => {
        expect(await log.readStream(aStream())).toEqual([])
        expect(await log.readStream(aStream(), 5)).toEqual([])
      }),
    )

    test(
      'a stream is read from a revision on, and a read beyond its end returns nothing',
      using(async (log) => {
        const stream = aStream()
        await log.append(stream, 'no-stream', someEvents(5))
        expect(reasonsOf(await log.readStream(stream, 3))).toEqual(['3', '4'])
        expect(await log.readStream(stream, 5)).toEqual([])
        expect(await log.readStream(stream, 500)).toEqual([])
      }),
    )

    test(
      'a long stream is read whole and in order during concurrent appends',
      using(async (log) => {
        const stream = aStream()
        for (let i = 0; i < 13; i++)
          await log.append(stream, i === 0 ? 'no-stream' : i * 100 - 1, someEvents(100))
        const [events] = await Promise.all([log.readStream(stream), log.append(stream, 1299, [anEvent()])])
        expect(events.length).toBeGreaterThanOrEqual(1300)
        expect(events.map((e) => e.revision)).toEqual(events.map((_, i) => i))
        expect((await log.append(stream, 1300, [anEvent()])).revision).toBe(1301)
      }),
    )

    test(
      'a completed append is in the next read',
      using(async (log) => {
        const stream = aStream()
        for (let i = 0; i < 15; i++) {
          await log.append(stream, i === 0 ? 'no-stream' : i - 1, [anEvent()])
          expect(await log.readStream(stream)).toHaveLength(i + 1)
          expect(await log.readStream(stream, i)).toHaveLength(1)
        }
      }),
    )

    test(
      'an event comes back as it was written',
      using(async (log) => {
        const stream = aStream()
        const text = '"\\\u0000\u001f\u2028 zażółć 漢字 😀 \ud83d </script> 9007199254740993 \n'
        const newEvent: NewEvent = {
          ...anEvent(text, { $correlationId: `ü${text.slice(5)}` }),
          event: {
            type: 'EntitlementsSet',
            data: {
              account_id: 'acc_1' as never,
              tasks: ['*', text, ''],
              limits: { kickoff_per_minute: Number.MAX_SAFE_INTEGER, read_per_minute: 0 },
              suspended: false,
              balance_after: 0,
              operation: { id: text, fingerprint: '' },
            },
          },
        }
        await log.append(stream, 'no-stream', [newEvent])
        const position = await lastOf(log, stream)
        const { id, event, meta } = newEvent
        expect(await log.readStream(stream)).toEqual([
          { id, stream, revision: 0, position, type: event.type, event, meta },
        ])
      }),
    )

    test(
      'events of unknown types and versions are delivered without a decoded event',
      using(async (log) => {
        const stream = aStream()
        const after = await log.head()
        const live = gather(log, after, [stream], 4)
        const { event, ...rest } = anEvent()
        const unknown = { ...rest, event: { type: 'SomethingNew', data: { a: 1 } } as unknown as DomainEvent }
        const inherited = { ...anEvent(), event: { ...event, type: 'constructor' } as unknown as DomainEvent }
        await log.append(stream, 'no-stream', [
          unknown,
          anEvent('x', { v: '99' }),
          inherited,
          anEvent('known'),
        ])
        const summaryOf = (events: readonly Recorded[]) =>
          events.map((e) => [e.type, e.meta.v, e.event !== undefined])
        const expected = [
          ['SomethingNew', '1', false],
          ['LoginRequested', '99', false],
          ['constructor', '1', false],
          ['LoginRequested', '1', true],
        ]
        expect(summaryOf(await log.readStream(stream))).toEqual(expected)
        expect(summaryOf(await live)).toEqual(expected)
        expect(summaryOf(await gather(log, after, [stream], 4))).toEqual(expected)
      }),
    )

    test(
      'all streams are read in order and page by page after a position',
      using(async (log) => {
        const streams = [aStream(), aKeyStream(), aStream()]
        const after = await log.head()
        for (const stream of streams) await log.append(stream, 'no-stream', someEvents(4))
        const read: Recorded[] = []
        let at = after
        while (read.filter((e) => streams.includes(e.stream)).length < 12) {
          const page = await log.readAll(at, 5)
          expect(page.length).toBeGreaterThan(0)
          expect(page.length).toBeLessThanOrEqual(5)
          for (const e of page) {
            expect(e.position).toBeGreaterThan(at ?? -1)
            at = e.position
          }
          read.push(...page)
        }
        const own = read.filter((e) => streams.includes(e.stream))
        expect(own.map((e) => e.stream)).toEqual(streams.flatMap((s) => [s, s, s, s]))
        expect((await log.readAll(null, 1)).length).toBe(1)
      }),
    )

    test(
      'the head and the last event are not before the last written one, and a read after the head returns only later events',
      using(async (log) => {
        const stream = aStream()
        await log.append(stream, 'no-stream', [anEvent()])
        const position = await lastOf(log, stream)
        const head = await log.head()
        expect(head).toBeGreaterThanOrEqual(position)
        expect((await log.lastEvent())?.position).toBeGreaterThanOrEqual(head!)
        expect((await log.readAll(head, 10)).every((e) => e.position > head!)).toBe(true)
      }),
    )

    test(
      'a position of an event is known, one beyond the end is not',
      using(async (log) => {
        const stream = aStream()
        await log.append(stream, 'no-stream', someEvents(3))
        for (const { position } of await log.readStream(stream)) expect(await log.knows(position)).toBe(true)
        expect(await log.knows(0 as Position)).toBe(true)
        expect(await log.knows(((await log.head())! + 1_000_000) as Position)).toBe(false)
        // A number between two positions is unknown, or is the position of another event.
        const [, second] = await log.readStream(stream)
        const between = (second!.position - 1) as Position
        if (!(await log.knows(between))) return
        expect((await log.readAll(between, 1))[0]).toEqual(second!)
      }),
    )

    test(
      'the log keeps its id after a reopen',
      using(async (log, opened) => {
        expect(log.id).toMatch(/^[0-9A-Za-z]{16}$/)
        const again = await opened.reopen()
        expect(again.log.id).toBe(log.id)
      }),
    )
  })
}
