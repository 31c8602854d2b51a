import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gather } from '../../../rigs/contract/event-log/suite.ts'
import { anEvent, aStream, someEvents } from '../../../rigs/contract/events.ts'
import { allLines, type Child, startChild } from '../../../rigs/support/child.ts'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import { nextTurn } from '../../../src/async/delay.ts'
import type { StreamName } from '../../../src/domain/ids.ts'
import { StoreUnavailable, WrongExpectedRevision } from '../../../src/log/event-log.ts'
import { openSqliteLog, type SqliteLog } from '../../../src/log/sqlite/log.ts'

const folder = temporaryFolder()
let files = 0
const aFile = () => join(folder, `${files++}.db`)
const children: Child[] = []
afterAll(() => {
  for (const { process } of children) process.kill('SIGKILL')
})

function child(...args: string[]): Child {
  const started = startChild(new URL('./child.ts', import.meta.url), args)
  children.push(started)
  return started
}

async function using(
  use: (log: SqliteLog, path: string) => Promise<void>,
  onCommit = () => {},
): Promise<void> {
  const path = aFile()
  const log = openSqliteLog(path, { onCommit })
  try {
    await use(log, path)
  } finally {
    await log.close()
  }
}

/** Makes the write of every event fail whose data contains the word `poison`. */
const poisonable = (log: SqliteLog) =>
  log.db.exec(`CREATE TRIGGER poison BEFORE INSERT ON events WHEN NEW.data LIKE '%poison%'
    BEGIN SELECT raise(FAIL, 'poisoned'); END`)

const reasons = (events: Awaited<ReturnType<typeof gather>>) =>
  events.map(({ event }) => event && 'reason' in event.data && event.data.reason)

describe('commits', () => {
  test('64 concurrent appends share one commit, and a single append does not wait for others', async () => {
    let commits = 0
    await using(
      async (log) => {
        await Promise.all(Array.from({ length: 64 }, () => log.append(aStream(), 'no-stream', [anEvent()])))
        expect(commits).toBe(1)
        await log.append(aStream(), 'no-stream', [anEvent()])
        expect(commits).toBe(2)
      },
      () => commits++,
    )
  })

  test('a commit wakes the subscribers of its process at once, before any timer', async () => {
    await using(async (log) => {
      const [stop, caughtUp] = [new AbortController(), Promise.withResolvers<void>()]
      const streams = new Set<StreamName>()
      const listening = (async () => {
        for await (const delivery of log.subscribe(null, { signal: stop.signal })) {
          if (delivery.kind === 'caught-up') caughtUp.resolve()
          else for (const { stream } of delivery.events) streams.add(stream)
        }
      })()
      await caughtUp.promise
      for (let n = 0; n < 20; n++) {
        const stream = aStream()
        await log.append(stream, 'no-stream', [anEvent()])
        await nextTurn()
        expect(streams).toContain(stream)
      }
      stop.abort()
      await listening
    })
  })

  test('a failed write fails only the appends that depend on it, not the rest of its group', async () => {
    await using(async (log) => {
      poisonable(log)
      const streams = Array.from({ length: 20 }, aStream)
      const appends = streams.map((stream, i) =>
        log.append(stream, 'no-stream', [anEvent('first'), anEvent(i % 7 === 3 ? 'poison' : 'fine')]),
      )
      const dependents = appends.map((after) =>
        log.append(aStream(), 'no-stream', [anEvent()], { after: [after] }),
      )
      const [outcomes, followers] = await Promise.all([
        Promise.allSettled(appends),
        Promise.allSettled(dependents),
      ])
      for (const [i, outcome] of outcomes.entries()) {
        const poisoned = i % 7 === 3
        expect(outcome.status).toBe(poisoned ? 'rejected' : 'fulfilled')
        expect(followers[i]!.status).toBe(outcome.status)
        if (outcome.status === 'rejected') {
          expect(outcome.reason).toBeInstanceOf(StoreUnavailable)
          expect((followers[i] as PromiseRejectedResult).reason).toBe(outcome.reason)
        }
        expect(await log.readStream(streams[i]!)).toHaveLength(poisoned ? 0 : 2)
      }
    })
  })

  test('a rolled back append leaves no wrong revision behind and reaches no subscriber', async () => {
    await using(async (log) => {
      const [stream, other] = [aStream(), aStream()]
      await log.append(stream, 'no-stream', [anEvent('0')])
      poisonable(log)
      const live = gather(log, null, [stream, other], 4)
      const [broken, beside] = await Promise.allSettled([
        log.append(stream, 0, [anEvent('never'), anEvent('poison')]),
        log.append(other, 'no-stream', [anEvent('beside')]),
      ])
      expect([broken.status, beside.status]).toEqual(['rejected', 'fulfilled'])
      expect(await log.readStream(stream, 1)).toEqual([])
      await expect(log.append(stream, 2, [anEvent()])).rejects.toEqual(
        new WrongExpectedRevision(stream, 2, 0),
      )
      expect((await log.append(stream, 0, [anEvent('1')])).revision).toBe(1)
      await log.append(other, 0, [anEvent('end')])
      expect(reasons(await live)).toEqual(['0', 'beside', '1', 'end'])
    })
  })

  test('a long chain of appends keeps no events of completed ones in memory', async () => {
    await using(async (log) => {
      const events: WeakRef<object>[] = []
      let last: ReturnType<typeof log.append> | undefined
      for (let i = 0; i < 200; i++) {
        const event = anEvent()
        events.push(new WeakRef(event))
        last = log.append(aStream(), 'no-stream', [event], { after: [last] })
        if (i % 20 === 0) await last
      }
      await last
      // The target of a new WeakRef lives until the end of the turn.
      await new Promise((go) => setImmediate(go))
      Bun.gc(true)
      const kept = events.filter((event) => event.deref() !== undefined)
      expect(kept.length).toBeLessThan(50)
      // Another append can still follow the last one.
      await log.append(aStream(), 'no-stream', [anEvent()], { after: [last] })
    })
  })

  test('all appends of a group fail at once while the file is locked, and succeed when it is free', async () => {
    await using(async (log, path) => {
      log.db.exec('PRAGMA busy_timeout = 100')
      const stream = aStream()
      await log.append(stream, 'no-stream', [anEvent()])
      const other = new DatabaseSync(path)
      other.exec('BEGIN IMMEDIATE')
      const begun = performance.now()
      const events = someEvents(30)
      const outcomes = await Promise.allSettled([
        ...events.map((event) => log.append(aStream(), 'no-stream', [event])),
        log.append(stream, 0, [anEvent()]),
      ])
      // A wait for each of them would take more than 3 seconds.
      expect(performance.now() - begun).toBeLessThan(2500)
      for (const outcome of outcomes) {
        expect(outcome.status === 'rejected' && outcome.reason).toBeInstanceOf(StoreUnavailable)
      }
      other.exec('ROLLBACK')
      other.close()
      expect((await log.append(stream, 0, [anEvent()])).revision).toBe(1)
    })
  })

  test('close writes earlier appends and refuses later ones', async () => {
    const path = aFile()
    const log = openSqliteLog(path)
    const stream = aStream()
    const stored = Promise.withResolvers<void>()
    const append = log.append(stream, 'no-stream', [anEvent()])
    const waiting = log.append(aStream(), 'no-stream', [anEvent()], { after: [stored.promise] })
    await log.close()
    expect((await append).revision).toBe(0)
    stored.resolve()
    await expect(waiting).rejects.toBeInstanceOf(StoreUnavailable)
    await expect(log.append(stream, 0, [anEvent()])).rejects.toBeInstanceOf(StoreUnavailable)
    const again = openSqliteLog(path)
    expect(await again.readStream(stream)).toHaveLength(1)
    await again.close()
  })

  test('an abort ends a subscription after its log was closed', async () => {
    const log = openSqliteLog(aFile())
    const stop = new AbortController()
    const caughtUp = Promise.withResolvers<void>()
    const reading = (async () => {
      for await (const _ of log.subscribe(null, { signal: stop.signal })) caughtUp.resolve()
    })()
    await caughtUp.promise
    await log.close()
    stop.abort()
    await reading
  })
})

// A second connection in this process replaces another process where only the order of operations matters.
describe('two connections', () => {
  async function both(use: (mine: SqliteLog, other: SqliteLog) => Promise<void>): Promise<void> {
    await using(async (mine, path) => {
      const other = openSqliteLog(path)
      try {
        await use(mine, other)
      } finally {
        await other.close()
      }
    })
  }

  test('have the same log id', () =>
    both(async (mine, other) => {
      expect(other.id).toBe(mine.id)
    }))

  test('see each other’s events in the next turn, and refuse appends at stale revisions', () =>
    both(async (mine, other) => {
      const stream = aStream()
      for (let i = 0; i < 100; i++) {
        const [writer, reader] = i % 2 === 0 ? [mine, other] : [other, mine]
        expect(await reader.readStream(stream, i)).toEqual([])
        await writer.append(stream, i === 0 ? 'no-stream' : i - 1, [anEvent(`${i}`)])
        await new Promise((go) => setImmediate(go))
        expect(await reader.readStream(stream, i)).toHaveLength(1)
        const stale = reader.append(stream, i === 0 ? 'no-stream' : i - 1, [anEvent()])
        await expect(stale).rejects.toEqual(
          new WrongExpectedRevision(stream, i === 0 ? 'no-stream' : i - 1, i),
        )
      }
    }))

  test('an append after a foreign event does not hide that event from subscribers', () =>
    both(async (mine, other) => {
      const stream = aStream()
      const live = gather(mine, await mine.head(), [stream], 3)
      await mine.append(aStream(), 'no-stream', [anEvent()])
      for (let i = 0; i < 3; i++) {
        await other.append(stream, i === 0 ? 'no-stream' : i - 1, [anEvent(`${i}`)])
        // It reads the file before the subscriber does, and adds no event.
        await mine.append(stream, 77, [anEvent()]).catch(() => {})
      }
      expect(reasons(await live)).toEqual(['0', '1', '2'])
    }))

  test('a foreign event is read that followed ours while the disk synced', async () => {
    const sync = Promise.withResolvers<null>()
    const path = aFile()
    const mine = openSqliteLog(path, { disk: { sync: () => sync.promise, close: () => {} } })
    const other = openSqliteLog(path)
    const stream = aStream()
    const written = mine.append(stream, 'no-stream', [anEvent('0')])
    await nextTurn()
    await other.append(stream, 0, [anEvent('1')])
    // It notices that the other has written, and has nothing to read.
    await mine.readStream(aStream())
    sync.resolve(null)
    await written
    expect(reasons([...(await mine.readStream(stream))])).toEqual(['0', '1'])
    expect(reasons([...(await mine.readStream(stream, 1))])).toEqual(['1'])
    await Promise.all([mine.close(), other.close()])
  })

  test('a subscriber misses no event when foreign events lie between ours', () =>
    both(async (mine, other) => {
      const streams = [aStream(), aStream()] as const
      const after = await mine.head()
      const stop = new AbortController()
      const ids: string[] = []
      const [held, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const reading = (async () => {
        for await (const delivery of mine.subscribe(after, { signal: stop.signal })) {
          if (delivery.kind === 'caught-up') {
            held.resolve()
            await go.promise
          } else ids.push(...reasons([...delivery.events]).map(String))
          if (ids.length >= 40) stop.abort()
        }
      })()
      await held.promise
      const expected: string[] = []
      for (let i = 0; i < 20; i++) {
        await mine.append(streams[0], i === 0 ? 'no-stream' : i - 1, [anEvent(`m${i}`)])
        await other.append(streams[1], i === 0 ? 'no-stream' : i - 1, [anEvent(`o${i}`)])
        expected.push(`m${i}`, `o${i}`)
      }
      go.resolve()
      await reading
      expect(ids).toEqual(expected)
    }))
})

describe('two processes', () => {
  test('a subscriber receives events that another process wrote', async () => {
    await using(async (log, path) => {
      const stream = aStream()
      const writer = child('on-request', path, stream)
      const delays: number[] = []
      const stop = new AbortController()
      for await (const delivery of log.subscribe(null, { signal: stop.signal })) {
        const events = delivery.kind === 'events' ? delivery.events : []
        for (const reason of reasons([...events])) delays.push(Date.now() - Number(reason))
        if (delays.length === 20) stop.abort()
        else writer.process.stdin!.write('go\n')
      }
      writer.process.stdin!.end()
      expect(await writer.ended).toBe(0)
      delays.sort((a, b) => a - b)
      // Within 100 ms on an idle machine; here other tests may be running.
      expect(delays[10]!).toBeLessThan(1000)
    })
  })

  test('two processes that append 500 events each to one stream lose none and get each revision once', async () => {
    await using(async (log, path) => {
      const stream = aStream()
      const racers = [child('race', path, stream, '500'), child('race', path, stream, '500')]
      const live = gather(log, null, [stream], 1000)
      const revisions = (await Promise.all(racers.map(allLines))).flat().map(Number)
      expect(await Promise.all(racers.map((racer) => racer.ended))).toEqual([0, 0])
      const all = Array.from({ length: 1000 }, (_, i) => i)
      expect(revisions.sort((a, b) => a - b)).toEqual(all)
      expect((await log.readStream(stream)).map((e) => e.revision)).toEqual(all)
      expect((await live).map((e) => e.revision)).toEqual(all)
    })
  }, 60_000)

  test('kill -9 loses no acknowledged event and leaves the file intact', async () => {
    const path = aFile()
    const said = new Map<StreamName, number>()
    for (let kills = 0; kills < 3; kills++) {
      const writer = child('endless', path)
      let lines = 0
      for await (const line of writer.lines) {
        const [stream, revision] = line.split(' ')
        said.set(stream as StreamName, Number(revision))
        if (++lines === 700) writer.process.kill('SIGKILL')
      }
      expect(await writer.ended).toBe('SIGKILL')
    }
    const log = openSqliteLog(path)
    expect(said.size).toBe(48)
    for (const [stream, revision] of said) {
      const events = await log.readStream(stream)
      expect(events.length).toBeGreaterThan(revision)
      // Each append has two events: never one without the other.
      expect(events.length % 2).toBe(0)
      expect(events.map((e) => e.revision)).toEqual(events.map((_, i) => i))
    }
    expect(log.db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    await log.close()
  })

  test('nothing keeps the process alive after a subscription ended and the log is closed', async () => {
    expect(await child('leave', aFile()).ended).toBe(0)
  })
})
