/** The projector handles every event exactly once, whatever fails or stops. */
import { describe, expect, test } from 'bun:test'
import { caughtUp } from '../../rigs/support/read-models.ts'
import type { EventLog, LogBatch, Position } from '../../src/log/event-log.ts'
import { Projector } from '../../src/read/projector.ts'
import type { Projection } from '../../src/read/read-models.ts'
import { rebuild } from '../../src/read/rebuild.ts'
import { openSqliteReadModels } from '../../src/read/sqlite/read-models.ts'
import { waitingFor } from '../../src/read/wait-until-projected.ts'
import { accountId, History } from './history.ts'
import { altered, counted, counter, counts, logger, pause, turn, until, workshop } from './projecting.ts'

const { newFile, openLog, openModels, start } = workshop()

describe('a projector', () => {
  test('projects the events from before its start and the new ones', async () => {
    const log = openLog()
    const models = openModels(newFile())
    const history = new History(log)
    for (let i = 0; i < 700; i++) await history.grant(i % 3)
    const projector = await start(log, models)
    await projector.caughtUp()
    expect([await counted(models, 0), await counted(models, 1), await counted(models, 2)]).toEqual([
      234, 233, 233,
    ])
    for (let i = 0; i < 10; i++) {
      await history.grant(1)
      await projector.caughtUp()
      expect(await counted(models)).toBe(234 + i)
    }
  })

  test('reports no lag on an empty log', async () => {
    const projector = await start(openLog(), openModels(newFile()))
    expect(await projector.lag()).toEqual([{ model: 'counts', seconds: 0, skipped: 0 }])
  })

  test('eventually stores the position of events that change nothing', async () => {
    const log = openLog()
    const models = openModels(newFile())
    const history = new History(log)
    const projector = await start(log, models)
    for (let i = 0; i < 20; i++) await history.login()
    await projector.caughtUp()
    await until(async () => (await models.checkpoint(counts))?.position === (await log.head()))
  })

  test('writes a burst of events with few commits', async () => {
    const log = openLog()
    let commits = 0
    const file = openModels(newFile())
    const models = altered(file, {
      commit: (changes, before) => {
        commits++
        return file.commit(changes, before)
      },
    })
    const history = new History(log)
    const projector = await start(log, models)
    await Promise.all(Array.from({ length: 2000 }, () => history.grant()))
    await projector.caughtUp()
    expect(await counted(models)).toBe(2000)
    expect(commits).toBeLessThan(100)
  })

  test('reports its lag while it is behind, and none once it has caught up', async () => {
    const log = openLog()
    const file = openModels(newFile())
    const { promise: open, resolve: release } = Promise.withResolvers<void>()
    const models = altered(file, {
      commit: (changes, before) => open.then(() => file.commit(changes, before)),
    })
    await new History(log).grant()
    const projector = await start(log, models)
    await turn()
    const [behind] = await projector.lag()
    expect(behind).toMatchObject({ model: 'counts', skipped: 0 })
    expect(behind?.seconds).toBeGreaterThan(0)
    release()
    await projector.caughtUp()
    await until(async () => (await projector.lag())[0]?.seconds === 0)
  })
})

describe('a batch that is folded while the previous one is written', () => {
  /** Enough for several batches. */
  const EVENTS = 9000

  const filled = async () => {
    const log = openLog()
    const history = new History(log)
    await Promise.all(Array.from({ length: EVENTS }, () => history.grant()))
    return log
  }

  test('builds on the rows of the previous one', async () => {
    const log = await filled()
    const models = openModels(newFile())
    let folded = 0
    const following: Projection = {
      ...counts,
      apply: (row, event) => {
        folded++
        return counts.apply(row, event)
      },
    }
    let overlapped = 0
    const slow = altered(models, {
      async commit(changes, before) {
        const already = folded
        if (already < EVENTS) await until(() => folded > already)
        overlapped++
        return models.commit(changes, before)
      },
    })
    await (await start(log, slow, [following])).caughtUp()
    expect(await counted(models)).toBe(EVENTS)
    expect(overlapped).toBeGreaterThan(2)
  })

  test.each([
    ['fails', () => Promise.reject(new Error('the disk is full'))],
    ['is overtaken', async () => false],
  ])('is written again when the previous one %s', async (_, ends) => {
    const log = await filled()
    const models = openModels(newFile())
    let commits = 0
    const faulty = altered(models, {
      // The commit after a failed one has already begun, and writes nothing.
      commit: (changes, before) => ([2, 5].includes(++commits) ? ends() : models.commit(changes, before)),
    })
    const projector = await start(log, faulty, [counts], logger())
    await projector.caughtUp()
    expect(await counted(models)).toBe(EVENTS)
    expect(commits).toBeGreaterThan(6)
  })
})

describe('exactly once', () => {
  test('every event counts once when the projector is stopped and restarted at any position', async () => {
    const path = newFile()
    const log = openLog(path)
    const file = newFile()
    const history = new History(log)
    for (let round = 0; round < 12; round++) {
      const writing = Promise.all(Array.from({ length: 40 }, () => history.grant()))
      const models = openSqliteReadModels(file)
      const projector = new Projector(log, models, [counts])
      await projector.start()
      if (round % 3 > 0) await writing
      if (round % 3 > 1) await caughtUp(projector, log, models, [counts])
      await projector.stop()
      await models.close()
      await writing
    }
    const models = openModels(file)
    await (await start(log, models)).caughtUp()
    expect(await counted(models)).toBe(12 * 40)
  })

  test('a stop writes the pending changes, and a start continues right after them', async () => {
    const log = openLog()
    const file = openModels(newFile())
    const history = new History(log)
    await history.grant()
    const first = await start(log, file)
    await first.caughtUp()
    await first.stop()
    const before = await file.checkpoint(counts)
    expect(before?.position).toBe((await log.head())!)
    await history.grant()
    const positions: (Position | null)[] = []
    const watched: EventLog = Object.create(log, {
      subscribe: {
        value: (after: Position | null, options: Parameters<EventLog['subscribe']>[1]) => {
          positions.push(after)
          return log.subscribe(after, options)
        },
      },
    })
    await (await start(watched, file)).caughtUp()
    expect(positions).toEqual([before!.position])
    expect(await counted(file)).toBe(2)
  })

  test('a commit that fails before or after it was written is retried and logged', async () => {
    const log = openLog()
    const file = openModels(newFile())
    let commits = 0
    const models = altered(file, {
      commit: async (changes, before) => {
        commits++
        if (commits % 3 === 1) throw new Error('before')
        const written = await file.commit(changes, before)
        if (commits % 3 === 2) throw new Error('after')
        return written
      },
    })
    const history = new History(log)
    const testLogger = logger()
    const projector = await start(log, models, [counts], testLogger)
    for (let i = 0; i < 4; i++) {
      await history.grant()
      await projector.caughtUp()
    }
    expect(await counted(models)).toBe(4)
    expect(testLogger.messages).toContain('Read models could not be written. Trying again.')
  })

  test('events that the log delivers twice count once', async () => {
    const log = openLog()
    const models = openModels(newFile())
    async function* twice(batches: AsyncIterable<LogBatch>): AsyncGenerator<LogBatch> {
      let before: LogBatch | undefined
      for await (const batch of batches) {
        yield batch
        if (before) yield before
        yield batch
        before = batch
      }
    }
    const stuttering: EventLog = Object.create(log, {
      subscribe: {
        value: (after: Position | null, options: Parameters<EventLog['subscribe']>[1]) =>
          twice(log.subscribe(after, options)),
      },
    })
    const history = new History(log)
    for (let i = 0; i < 1200; i++) await history.grant()
    const projector = await start(stuttering, models)
    await projector.caughtUp()
    for (let i = 0; i < 5; i++) {
      await history.grant()
      await projector.caughtUp()
    }
    expect(await counted(models)).toBe(1205)
  })
})

describe('a projection with a defect', () => {
  const broken = (in_: 'key' | 'apply'): Projection => {
    const fails = (position: number) => {
      if (position === 2) throw new Error('a defect')
    }
    const sound = counter(1, 'broken')
    return {
      ...sound,
      key(event) {
        if (in_ === 'key') fails(event.position)
        return sound.key(event)
      },
      apply(row, event) {
        if (in_ === 'apply') fails(event.position)
        return sound.apply(row, event)
      },
    }
  }

  test.each(['key', 'apply'] as const)('skips the event and logs it when its %s throws', async (in_) => {
    const log = openLog()
    const models = openModels(newFile())
    const history = new History(log)
    const testLogger = logger()
    const projector = await start(log, models, [broken(in_), counts], testLogger)
    for (let i = 0; i < 3; i++) await history.grant()
    await projector.caughtUp()
    expect(await counted(models, 1, broken(in_))).toBe(2)
    expect(await counted(models)).toBe(3)
    expect(testLogger.messages).toEqual([
      'A projection could not handle an event and skipped it. Fix the projection, then run `gleaner rebuild`.',
    ])
    expect((await projector.lag()).map(({ skipped }) => skipped)).toEqual([1, 0])
  })

  test('fails a rebuild with an error that names the event', async () => {
    const log = openLog()
    const history = new History(log)
    for (let i = 0; i < 3; i++) await history.grant()
    const rebuilding = rebuild(log, openModels(newFile()), [broken('apply')])
    await expect(rebuilding).rejects.toThrow(
      `broken can't handle CreditsGranted of account-${accountId(1)} at 1`,
    )
  })
})

describe('several projectors', () => {
  const [a, b] = [counter(1, 'a'), counter(1, 'b')]

  test('never wait for each other forever: a model that only one of them projects advances', async () => {
    const log = openLog()
    const file = openModels(newFile())
    const history = new History(log)
    await history.grant()
    const before = await start(log, file, [a, b])
    await before.caughtUp()
    await before.stop()
    const one = await start(log, file, [a])
    let commits = 0
    // This projector is overtaken at once, and waits.
    const late = altered(file, {
      commit: (changes, before) => (++commits === 1 ? Promise.resolve(false) : file.commit(changes, before)),
    })
    const both = await start(log, late, [a, b])
    await history.grant()
    const isShown = waitingFor(log, late, both)(b, 60_000)
    for (let isOver = false; !isOver; ) {
      await history.grant()
      await one.caughtUp()
      isOver = await Promise.race([isShown, pause(10).then(() => false)])
    }
    expect(await counted(file, 1, b)).toBeGreaterThanOrEqual(2)
    await both.caughtUp()
    expect(await counted(file, 1, a)).toBe(await counted(file, 1, b))
  })

  test('project all published models together, also from different positions, and a new one apart', async () => {
    const log = openLog()
    const file = openModels(newFile())
    const history = new History(log)
    for (const group of [[a, b], [a]]) {
      for (let i = 0; i < 5; i++) await history.grant()
      const before = await start(log, file, group)
      await before.caughtUp()
      await before.stop()
    }
    const together = new Set<string>()
    const models = altered(file, {
      commit: (changes, before) => {
        together.add(changes.map(({ model }) => model.name).join())
        return file.commit(changes, before)
      },
    })
    const c = counter(1, 'c')
    const projector = await start(log, models, [a, b, c])
    await projector.caughtUp()
    await history.grant()
    await projector.caughtUp()
    expect([...together].sort()).toEqual(['a,b', 'b', 'c'])
    for (const model of [a, b, c]) expect(await counted(file, 1, model)).toBe(11)
  })
})
