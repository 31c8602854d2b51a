/**
 * The contract of event logs: a repeated append succeeds and writes nothing.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import type { Appended, EventLog } from '../../../src/log/event-log.ts'
import { anEvent, aStream, someEvents } from '../events.ts'
import { errorOf, idsOf, type Open, reasonsOf, usingOf, wrong } from './suite.ts'

/** A repeated append succeeds and writes nothing. */
export function repeatedAppendContract(name: string, open: Open): void {
  const using = usingOf(open)

  describe(`${name}: a repeated append`, () => {
    const repeated = async (log: EventLog, ...args: Parameters<EventLog['append']>): Promise<Appended> => {
      const before = await log.readStream(args[0])
      const appended = await log.append(...args)
      expect(await log.readStream(args[0])).toEqual(before)
      return appended
    }

    test(
      'succeeds at the same revision and writes nothing',
      using(async (log) => {
        const stream = aStream()
        const [events, more] = [someEvents(3), someEvents(2)]
        const first = await log.append(stream, 'no-stream', events)
        const second = await log.append(stream, 2, more)
        expect(await repeated(log, stream, 2, more)).toEqual(second)
        // The stream has more events now.
        expect(await repeated(log, stream, 'no-stream', events)).toEqual(first)
      }),
    )

    test(
      'succeeds while the first one is still running',
      using(async (log) => {
        const stream = aStream()
        const events = someEvents(2)
        const both = await Promise.all([
          log.append(stream, 'no-stream', events),
          log.append(stream, 'no-stream', events),
        ])
        expect(both[0]).toEqual(both[1])
        expect(await log.readStream(stream)).toHaveLength(2)
      }),
    )

    test(
      'succeeds after a reopen',
      using(async (log, opened) => {
        const stream = aStream()
        const events = someEvents(2)
        const first = await log.append(stream, 'no-stream', events)
        const again = await opened.reopen()
        expect(await repeated(again.log, stream, 'no-stream', events)).toEqual(first)
      }),
    )

    test(
      'succeeds with only its first events',
      using(async (log) => {
        const stream = aStream()
        const events = someEvents(4)
        await log.append(stream, 'no-stream', events)
        expect(await repeated(log, stream, 'no-stream', events.slice(0, 2))).toEqual({ revision: 1 })
      }),
    )

    test(
      'is refused with one event more, in another order, or when it starts with another event',
      using(async (log) => {
        const stream = aStream()
        const events = someEvents(3)
        await log.append(stream, 'no-stream', events)
        const others = [
          [...events, anEvent()],
          [events[1]!],
          [events[1]!, events[0]!],
          [anEvent(), ...events],
        ]
        for (const other of others) {
          expect(await errorOf(repeated(log, stream, 'no-stream', other))).toEqual(
            wrong(stream, 'no-stream', 2),
          )
        }
      }),
    )

    test(
      'is recognized by its event ids alone: with other content it succeeds and the old content stays',
      using(async (log) => {
        const stream = aStream()
        const event = anEvent('old')
        const first = await log.append(stream, 'no-stream', [event])
        expect(await repeated(log, stream, 'no-stream', [{ ...anEvent('new'), id: event.id }])).toEqual(first)
        expect(reasonsOf(await log.readStream(stream))).toEqual(['old'])
      }),
    )

    test(
      'is a new append at another revision or in another stream: event ids are not unique',
      using(async (log) => {
        const [stream, other] = [aStream(), aStream()]
        const event = anEvent()
        await log.append(stream, 'no-stream', [event])
        expect((await log.append(stream, 0, [event])).revision).toBe(1)
        expect((await log.append(other, 'no-stream', [event])).revision).toBe(0)
        expect(idsOf(await log.readStream(stream))).toEqual([event.id, event.id])
      }),
    )
  })
}
