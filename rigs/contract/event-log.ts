/**
 * The contract of event logs: the meaning of src/log/event-log.ts in detail. An adapter's test calls
 * {@link eventLogContract} with a function that opens the log. The log may hold other events, and other processes may
 * write to it: every test uses new streams, and only positions that the log returned.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import type { DomainEvent } from '../../src/domain/events.ts'
import type { EventId, StreamName } from '../../src/domain/ids.ts'
import {
  type Appended,
  type EventLog,
  EventTooLarge,
  MAX_EVENT_BYTES,
  type NewEvent,
  type Position,
  type Recorded,
  WrongExpectedRevision,
} from '../../src/log/event-log.ts'
import { aKeyStream, anEvent, aStream, someEvents } from './events.ts'

export type OpenedLog = {
  readonly log: EventLog
  /** Closes the log and opens it again. */
  reopen(): Promise<OpenedLog>
  close(): Promise<void>
}

/** Subscribes after a position until `count` events of these streams arrived. */
export async function gather(
  log: EventLog,
  after: Position | null,
  streams: readonly StreamName[],
  count: number,
): Promise<Recorded[]> {
  const stop = new AbortController()
  const events: Recorded[] = []
  for await (const batch of log.subscribe(after, { signal: stop.signal })) {
    if (batch.kind === 'events') events.push(...batch.events.filter((e) => streams.includes(e.stream)))
    if (events.length >= count) stop.abort()
  }
  return events
}

/** The position of a stream's last event. */
async function lastOf(log: EventLog, stream: StreamName): Promise<Position> {
  const last = (await log.readStream(stream)).at(-1)
  if (!last) throw new Error(`${stream} has no event`)
  return last.position
}
const idsOf = (events: readonly { readonly id: EventId }[]) => events.map(({ id }) => id)
const reasonsOf = (events: readonly Recorded[]) =>
  events.map(({ event }) => event && 'reason' in event.data && event.data.reason)
const wrong = (stream: StreamName, expected: number | 'no-stream', actual: number | null) =>
  expect.objectContaining({ name: 'WrongExpectedRevision', stream, expected, actual })
/** The rejection of a promise that must fail. */
const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error('it should have failed')
    },
    (error) => error,
  )

/** An event whose data and metadata have exactly this many bytes of JSON. */
function ofBytes(bytes: number, letter = 'x'): NewEvent {
  const { event, meta } = anEvent('')
  const rest = bytes - Buffer.byteLength(JSON.stringify(event.data) + JSON.stringify(meta))
  const each = Buffer.byteLength(letter)
  return anEvent(letter.repeat(Math.floor(rest / each)) + 'x'.repeat(rest % each))
}

type Open = () => Promise<OpenedLog>

const usingOf = (open: Open) => (use: (log: EventLog, opened: OpenedLog) => Promise<void>) => async () => {
  const opened = await open()
  try {
    await use(opened.log, opened)
  } finally {
    await opened.close()
  }
}

/** More events than a live subscription buffers in memory. */
const FAR_BEHIND = 25_000

/**
 * @param open opens the log; the test closes it
 * @param behind see {@link subscriptionContract}
 */
export function eventLogContract(name: string, open: Open, behind = FAR_BEHIND): void {
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

  describe(`${name}: append after other promises`, () => {
    test(
      'an append is written after the append that it waits for',
      using(async (log) => {
        const [account, run] = [aStream(), aStream()]
        const charge = log.append(account, 'no-stream', [anEvent()])
        const request = log.append(run, 'no-stream', [anEvent()], { after: [undefined, charge] })
        await Promise.all([charge, request])
        expect(await lastOf(log, run)).toBeGreaterThan(await lastOf(log, account))
      }),
    )

    test(
      'an append is written when the append that it waits for is already written',
      using(async (log) => {
        const stream = aStream()
        const first = log.append(stream, 'no-stream', [anEvent()])
        await first
        await log.append(stream, 0, [anEvent()], { after: [first] })
        expect(await log.readStream(stream)).toHaveLength(2)
      }),
    )

    test(
      'an append fails with the same error as the one that it waits for, and writes nothing',
      using(async (log) => {
        const [account, run, fine] = [aStream(), aStream(), aStream()]
        const good = log.append(fine, 'no-stream', [anEvent()])
        const charge = log.append(account, 5, [anEvent()])
        const request = log.append(run, 'no-stream', [anEvent()], { after: [good, charge] })
        const [error, same] = await Promise.all([errorOf(charge), errorOf(request)])
        expect(error).toEqual(wrong(account, 5, null))
        expect(same).toBe(error)
        // Also when the failure is already known.
        const late = log.append(run, 'no-stream', [anEvent()], { after: [charge] })
        expect(await errorOf(late)).toBe(error)
        expect(await log.readStream(run)).toEqual([])
        await good
        expect(await log.readStream(fine)).toHaveLength(1)
      }),
    )

    test(
      'an append fails when the one that it waits for was too large',
      using(async (log) => {
        const run = aStream()
        const large = log.append(aStream(), 'no-stream', [ofBytes(MAX_EVENT_BYTES + 1)])
        const request = log.append(run, 'no-stream', [anEvent()], { after: [large] })
        expect(await errorOf(request)).toBe(await errorOf(large))
        expect(await log.readStream(run)).toEqual([])
      }),
    )

    test(
      'a chain of 150 appends that wait for each other is written in order',
      using(async (log) => {
        const stream = aStream()
        let last: Promise<Appended> | undefined
        const chain: Promise<Appended>[] = []
        for (let i = 0; i < 150; i++) {
          last = log.append(stream, i === 0 ? 'no-stream' : i - 1, [anEvent(`${i}`)], { after: [last] })
          chain.push(last)
        }
        const appended = await Promise.all(chain)
        expect(appended.map((a) => a.revision)).toEqual(appended.map((_, i) => i))
        expect(reasonsOf(await log.readStream(stream))).toEqual(appended.map((_, i) => `${i}`))
      }),
    )

    test(
      'in a chain of appends all fail from the first failure on',
      using(async (log) => {
        const [stream, others] = [aStream(), Array.from({ length: 20 }, aStream)]
        await log.append(stream, 'no-stream', [anEvent()])
        let last: Promise<Appended> | undefined
        const chain = others.map((other, i) => {
          // The eleventh append has a wrong expected revision.
          const where = i === 10 ? 'no-stream' : undefined
          last = log.append(where ? stream : other, 'no-stream', [anEvent()], { after: [last] })
          return last
        })
        const outcomes = await Promise.allSettled(chain)
        expect(outcomes.map((o) => o.status)).toEqual(
          outcomes.map((_, i) => (i < 10 ? 'fulfilled' : 'rejected')),
        )
        for (const [i, other] of others.entries())
          expect(await log.readStream(other)).toHaveLength(i < 10 ? 1 : 0)
      }),
    )

    test(
      'an append waits for other promises than appends, and fails with their error',
      using(async (log) => {
        const [stream, other] = [aStream(), aStream()]
        const stored = Promise.withResolvers<void>()
        const charge = log.append(stream, 'no-stream', [anEvent()])
        const waiting = log.append(stream, 0, [anEvent()], { after: [stored.promise, charge] })
        await charge
        expect(await log.readStream(stream)).toHaveLength(1)
        stored.resolve()
        expect((await waiting).revision).toBe(1)

        const broken = Promise.withResolvers<void>()
        const failing = log.append(other, 'no-stream', [anEvent()], { after: [broken.promise] })
        const following = log.append(aStream(), 'no-stream', [anEvent()], { after: [failing] })
        const error = new Error('not stored')
        broken.reject(error)
        expect(await errorOf(failing)).toBe(error)
        expect(await errorOf(following)).toBe(error)
        expect(await log.readStream(other)).toEqual([])
      }),
    )

    test(
      'an append that waits does not block other appends to its stream',
      using(async (log) => {
        const stream = aStream()
        const stored = Promise.withResolvers<void>()
        const waiting = log.append(stream, 0, [anEvent('waiting')], { after: [stored.promise] })
        expect(await log.append(stream, 'no-stream', [anEvent('other')])).toEqual({ revision: 0 })
        stored.resolve()
        expect(await waiting).toEqual({ revision: 1 })
        expect(reasonsOf(await log.readStream(stream))).toEqual(['other', 'waiting'])
      }),
    )

    test(
      'all of 5000 chained appends fail with the error of the first',
      using(async (log) => {
        const stream = aStream()
        const broken = Promise.withResolvers<void>()
        let last: Promise<unknown> = broken.promise
        const chain: Promise<unknown>[] = []
        for (let i = 0; i < 5000; i++) {
          last = log.append(stream, i === 0 ? 'no-stream' : i - 1, [anEvent()], { after: [last] })
          chain.push(last)
        }
        const error = new Error('not stored')
        broken.reject(error)
        const outcomes = await Promise.allSettled(chain)
        expect(outcomes.every((o) => o.status === 'rejected' && o.reason === error)).toBe(true)
        expect(await log.readStream(stream)).toEqual([])
      }),
    )

    test(
      'chained appends to one stream fail with the refused one before them, and write nothing',
      using(async (log) => {
        const stream = aStream()
        await log.append(stream, 'no-stream', [anEvent('there')])
        let last: Promise<unknown> | undefined
        const chain = Array.from({ length: 20 }, (_, i) => {
          last = log.append(stream, i === 0 ? 'no-stream' : i - 1, [anEvent()], { after: [last] })
          return last
        })
        const errors = await Promise.all(chain.map(errorOf))
        expect(errors[0]).toEqual(wrong(stream, 'no-stream', 0))
        expect(new Set(errors).size).toBe(1)
        expect(reasonsOf(await log.readStream(stream))).toEqual(['there'])
      }),
    )
  })

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

  subscriptionContract(name, open, behind)
}

/** Fills an unused stream by small appends: a large one may time out on a busy machine. */
async function appendMany(log: EventLog, stream: StreamName, count: number, appended?: (at: number) => void) {
  for (let at = 0; at < count; at += 100) {
    await log.append(stream, at === 0 ? 'no-stream' : at - 1, someEvents(100))
    appended?.(at)
  }
}

/**
 * The part of {@link eventLogContract} about subscriptions.
 *
 * @param behind number of events that the slow reader is behind
 */
export function subscriptionContract(name: string, open: Open, behind = FAR_BEHIND): void {
  const using = usingOf(open)

  describe(`${name}: subscribe`, () => {
    /** Subscribes until `stop` and collects the batches. */
    function follow(log: EventLog, after: Position | null) {
      const abort = new AbortController()
      const deliveries = { events: [] as Recorded[], caughtUp: [] as (Position | null)[], beforeCaughtUp: 0 }
      let wake = () => {}
      const ended = (async () => {
        for await (const batch of log.subscribe(after, { signal: abort.signal })) {
          if (batch.kind === 'caught-up') {
            deliveries.caughtUp.push(batch.position)
            deliveries.beforeCaughtUp = deliveries.events.length
          } else {
            expect(batch.events.length).toBeGreaterThan(0)
            deliveries.events.push(...batch.events)
          }
          wake()
        }
      })()
      const until = async (isSo: () => boolean) => {
        while (!isSo()) {
          await Promise.race([
            new Promise<void>((go) => {
              wake = go
            }),
            ended.then(() => {
              throw new Error('the subscription ended')
            }),
          ])
        }
      }
      const stop = async () => {
        abort.abort()
        await ended
      }
      const of = (stream: StreamName) => deliveries.events.filter((e) => e.stream === stream)
      return { deliveries, until, stop, of }
    }

    test(
      'a position is exclusive: the subscription starts with the first event after it',
      using(async (log) => {
        const stream = aStream()
        await log.append(stream, 'no-stream', someEvents(5))
        const events = await log.readStream(stream)
        for (const [i, { position }] of events.entries()) {
          const rest = await gather(log, position, [stream], 4 - i)
          if (i < 4) expect(idsOf(rest)).toEqual(idsOf(events.slice(i + 1)))
        }
        const follower = follow(log, events.at(-1)!.position)
        await log.append(stream, 4, [anEvent('next')])
        await follower.until(() => follower.of(stream).length > 0)
        expect(reasonsOf(follower.of(stream))).toEqual(['next'])
        await follower.stop()
      }),
    )

    test(
      'a subscription from null delivers all events from the first one on',
      using(async (log) => {
        const stream = aStream()
        await log.append(stream, 'no-stream', [anEvent('newest')])
        const position = await lastOf(log, stream)
        const [oldest] = await log.readAll(null, 1)
        const follower = follow(log, null)
        await follower.until(() => follower.deliveries.caughtUp.length > 0)
        expect(follower.deliveries.events[0]).toEqual(oldest!)
        expect(reasonsOf(follower.of(stream))).toEqual(['newest'])
        const positions = follower.deliveries.events.map((e) => e.position)
        expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b))
        expect(follower.deliveries.caughtUp[0]).toBeGreaterThanOrEqual(position)
        await follower.stop()
      }),
      // A real server may hold very many events.
      300_000,
    )

    test(
      'a subscription delivers stored events, then caught-up once, then new events',
      using(async (log) => {
        const stream = aStream()
        const after = await log.head()
        await appendMany(log, stream, 1200)
        const follower = follow(log, after)
        await follower.until(() => follower.deliveries.caughtUp.length > 0)
        expect(follower.of(stream)).toHaveLength(1200)
        expect(follower.deliveries.beforeCaughtUp).toBeGreaterThanOrEqual(1200)
        for (let i = 0; i < 20; i++) await log.append(stream, 1199 + i, [anEvent('live')])
        await follower.until(() => follower.of(stream).length === 1220)
        expect(follower.of(stream).map((e) => e.revision)).toEqual(Array.from({ length: 1220 }, (_, i) => i))
        expect(follower.deliveries.caughtUp).toHaveLength(1)
        await follower.stop()
      }),
    )

    test(
      'a subscription from the head catches up there when no event follows',
      using(async (log) => {
        await log.append(aStream(), 'no-stream', [anEvent()])
        const head = await log.head()
        const follower = follow(log, head)
        await follower.until(() => follower.deliveries.caughtUp.length > 0)
        expect(follower.deliveries.caughtUp[0]).toBeGreaterThanOrEqual(head!)
        await follower.stop()
      }),
    )

    test(
      'no event is lost, duplicated or out of order while two writers append',
      using(async (log) => {
        const streams = [aStream(), aStream()]
        const after = await log.head()
        const early = follow(log, after)
        const writers = streams.map(async (stream) => {
          for (let i = 0; i < 200; i++)
            await log.append(stream, i === 0 ? 'no-stream' : i - 1, [anEvent(`${i}`)])
        })
        await early.until(() => early.of(streams[0]!).length >= 50)
        // This subscriber has to catch up while they write.
        const late = follow(log, after)
        await Promise.all(writers)
        for (const follower of [early, late]) {
          await follower.until(() => streams.every((stream) => follower.of(stream).length >= 200))
          await follower.until(() => follower.deliveries.caughtUp.length > 0)
          for (const stream of streams) {
            expect(follower.of(stream).map((e) => e.revision)).toEqual(
              Array.from({ length: 200 }, (_, i) => i),
            )
          }
          const positions = follower.deliveries.events.map((e) => e.position)
          expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b))
          expect(follower.deliveries.caughtUp).toHaveLength(1)
          await follower.stop()
        }
      }),
    )

    test(
      'a slow subscriber loses no event, however far it is behind',
      using(async (log) => {
        const stream = aStream()
        const after = await log.head()
        const stop = new AbortController()
        const [held, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
        const revisions: number[] = []
        const reading = (async () => {
          for await (const batch of log.subscribe(after, { signal: stop.signal })) {
            // The reader stops when it has caught up, so that all later events arrive live.
            if (batch.kind === 'caught-up') {
              held.resolve()
              await go.promise
            } else revisions.push(...batch.events.filter((e) => e.stream === stream).map((e) => e.revision))
            if (revisions.length >= behind) stop.abort()
          }
        })()
        await held.promise
        await appendMany(log, stream, behind, (at) => {
          if (at === behind - 3000) go.resolve()
        })
        await reading
        expect(revisions).toEqual(Array.from({ length: behind }, (_, i) => i))
      }),
      60_000,
    )

    test(
      'an abort ends a subscription while it waits, while it reads, and before it starts',
      using(async (log) => {
        const waiting = follow(log, await log.head())
        await waiting.until(() => waiting.deliveries.caughtUp.length > 0)
        await waiting.stop()

        const stream = aStream()
        const after = await log.head()
        await appendMany(log, stream, 1500)
        const stop = new AbortController()
        let batches = 0
        for await (const _ of log.subscribe(after, { signal: stop.signal })) {
          batches++
          stop.abort()
        }
        expect(batches).toBe(1)
        for await (const _ of log.subscribe(null, { signal: stop.signal })) throw new Error('it was aborted')
      }),
    )

    test(
      'a subscriber can leave the loop many times and subscribe again',
      using(async (log) => {
        const stream = aStream()
        const after = await log.head()
        await log.append(stream, 'no-stream', someEvents(3))
        for (let i = 0; i < 50; i++) {
          for await (const _ of log.subscribe(after, { signal: new AbortController().signal })) break
        }
        await log.append(stream, 2, [anEvent('3')])
        expect(reasonsOf(await gather(log, after, [stream], 4))).toEqual(['0', '1', '2', '3'])
      }),
    )

    test(
      'after a reopen a subscription continues from a position',
      using(async (log, opened) => {
        const stream = aStream()
        await log.append(stream, 'no-stream', someEvents(3))
        const position = await lastOf(log, stream)
        const again = await opened.reopen()
        const more = gather(again.log, position, [stream], 2)
        await again.log.append(stream, 2, [anEvent('3'), anEvent('4')])
        expect(reasonsOf(await more)).toEqual(['3', '4'])
      }),
    )
  })
}
