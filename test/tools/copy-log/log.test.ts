/**
 * A copied log equals the original after any interruption, and a differing log is never accepted as a copy.
 *
 * @module
 */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { aKeyStream, anEvent, aStream, someEvents } from '../../../rigs/contract/events.ts'
import { alteredLog } from '../../../rigs/support/altered-log.ts'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import type { DomainEvent } from '../../../src/domain/events.ts'
import { type EventLog, StoreUnavailable } from '../../../src/log/event-log.ts'
import { openSqliteLog, type SqliteLog } from '../../../src/log/sqlite/log.ts'
import { type Copied, copyLog } from '../../../tools/copy-log/log.ts'

const folder = temporaryFolder()
let original: SqliteLog
let copy: SqliteLog
let count = 0
beforeEach(() => {
  count++
  original = openSqliteLog(join(folder, `original-${count}.db`))
  copy = openSqliteLog(join(folder, `copy-${count}.db`))
})
afterEach(async () => {
  await original.close()
  await copy.close()
})

/** Fills the log with three interleaved streams, as in a busy log. */
async function fill(rounds: number): Promise<void> {
  const streams = [aStream(), aKeyStream(), aStream()]
  for (let i = 0; i < rounds; i++) {
    for (const stream of streams)
      await original.append(stream, i === 0 ? 'no-stream' : i * 2 - 1, someEvents(2))
  }
}

const run = (target: EventLog = copy, signal = new AbortController().signal): Promise<Copied> =>
  copyLog({ original, target, signal })

const texts = (log: SqliteLog) =>
  log
    .rows(0, 10_000)
    .map(({ stream, revision, id, type, data, meta }) => [stream, revision, id, type, data, meta])

test('copyLog copies all events in order and with their ids', async () => {
  await fill(20)
  const { events, added, sha256 } = await run()
  expect({ events, added }).toEqual({ events: 120, added: 120 })
  expect(sha256).toMatch(/^[0-9a-f]{64}$/)
  expect(texts(copy)).toEqual(texts(original))
})

test('the copy of an empty log is empty', async () => {
  expect(await run()).toMatchObject({ events: 0, added: 0 })
})

test('a second copy adds nothing and has the same hash, and then only new events are added', async () => {
  await fill(3)
  const first = await run()
  expect(await run()).toEqual({ ...first, added: 0 })
  await original.append(aStream(), 'no-stream', someEvents(5))
  const more = await run()
  expect(more).toMatchObject({ events: first.events + 5, added: 5 })
  expect(more.sha256).not.toBe(first.sha256)
  expect(texts(copy)).toEqual(texts(original))
})

test('events unknown to this version are copied verbatim', async () => {
  const unknown = {
    ...anEvent(),
    event: { type: 'SomethingNew', data: { b: 1, a: { 10: 'x', 9: 'y' } } } as unknown as DomainEvent,
  }
  const later = anEvent('x', { v: '99' })
  await original.append(aStream(), 'no-stream', [unknown, later, anEvent('\u0000\ud83d 漢')])
  await run()
  expect(texts(copy)).toEqual(texts(original))
})

test('copyLog splits a long run of events of one stream into appends of 100', async () => {
  const sizes: number[] = []
  const stream = aStream()
  await original.append(stream, 'no-stream', someEvents(250))
  const counting = alteredLog(copy, {
    append: (...args) => {
      sizes.push(args[2].length)
      return copy.append(...args)
    },
  })
  await run(counting)
  expect(sizes).toEqual([100, 100, 50])
  expect(texts(copy)).toEqual(texts(original))
})

test('a repeated copyLog continues where a failed append stopped it', async () => {
  await fill(10)
  let appends = 0
  const failing = alteredLog(copy, {
    append: (...args) => {
      if (++appends % 7 === 0) throw new Error('killed')
      return copy.append(...args)
    },
  })
  let kills = 0
  for (;;) {
    try {
      await run(failing)
      break
    } catch (error) {
      expect((error as Error).message).toBe('killed')
      kills++
      expect(texts(copy)).toEqual(texts(original).slice(0, texts(copy).length))
    }
  }
  expect(kills).toBeGreaterThan(2)
  expect(texts(copy)).toEqual(texts(original))
})

test('an aborted copyLog stops between two appends, and a second one completes the copy', async () => {
  await fill(10)
  const stop = new AbortController()
  const stopping = alteredLog(copy, {
    append: (...args) => {
      if (copy.rows(0, 100).length >= 20) stop.abort()
      return copy.append(...args)
    },
  })
  const failure = await run(stopping, stop.signal).catch((error) => error)
  expect(failure).toBe(stop.signal.reason)
  await run().then(({ events }) => expect(events).toBe(60))
})

test('copyLog survives StoreUnavailable for an append that was written', async () => {
  await fill(5)
  let appends = 0
  const flaky = alteredLog(copy, {
    append: async (...args) => {
      const written = await copy.append(...args)
      if (++appends % 10 === 3) throw new StoreUnavailable('the answer was lost')
      return written
    },
  })
  expect(await run(flaky)).toMatchObject({ events: 30, added: 30 })
  expect(texts(copy)).toEqual(texts(original))
})

test('copyLog refuses a target with other events and writes nothing to it', async () => {
  await fill(2)
  await copy.append(aStream(), 'no-stream', [anEvent()])
  await expect(run()).rejects.toThrow(/holds other events: number 1 is LoginRequested/)
  expect(copy.rows(0, 10)).toHaveLength(1)
})

test('copyLog refuses a copy with more events than the original', async () => {
  await fill(2)
  await run()
  await copy.append(aStream(), 'no-stream', [anEvent()])
  await expect(run()).rejects.toThrow(/and nothing here/)
})

test('copyLog refuses a target whose event has the same id and other content', async () => {
  const [stream, event] = [aStream(), anEvent('one')]
  await original.append(stream, 'no-stream', [event])
  await copy.append(stream, 'no-stream', [{ ...anEvent('two'), id: event.id }])
  await expect(run()).rejects.toThrow(/holds other events/)
})

test('copyLog fails when another writer appends to the target during the copy', async () => {
  await fill(3)
  let appends = 0
  const crowded = alteredLog(copy, {
    append: async (...args) => {
      if (++appends === 5) await copy.append(aStream(), 'no-stream', [anEvent()])
      return copy.append(...args)
    },
  })
  await expect(run(crowded)).rejects.toThrow(/holds other events/)
})
