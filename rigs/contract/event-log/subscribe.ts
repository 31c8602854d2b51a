/**
 * The contract of event logs: subscriptions.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import type { StreamName } from '../../../src/domain/ids.ts'
import type { EventLog, Position, Recorded } from '../../../src/log/event-log.ts'
import { anEvent, aStream, someEvents } from '../events.ts'
import { appendMany, gather, idsOf, lastOf, type Open, reasonsOf, usingOf } from './suite.ts'

/** More events than a live subscription buffers in memory. */
const FAR_BEHIND = 25_000

/**
 * Subscriptions: stored events, then live ones, none lost and none twice.
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
