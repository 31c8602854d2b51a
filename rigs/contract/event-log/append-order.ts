/**
 * The contract of event logs: appends that wait for other appends.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import { type Appended, MAX_EVENT_BYTES } from '../../../src/log/event-log.ts'
import { anEvent, aStream } from '../events.ts'
import { errorOf, lastOf, type Open, ofBytes, reasonsOf, usingOf, wrong } from './suite.ts'

/** Appends that wait for other appends. */
export function appendOrderContract(name: string, open: Open): void {
  const using = usingOf(open)

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
}
