/** Read models with several projectors, after a change of the log or version, and after a rebuild. */
import { describe, expect, test } from 'bun:test'
import { projectionsOf } from '../../projections/all.ts'
import { publish } from '../../rigs/support/read-models.ts'
import type { Position } from '../../src/log/event-log.ts'
import { nextOf } from '../../src/read/read-models.ts'
import { rebuild } from '../../src/read/rebuild.ts'
import { accountId, dump, History } from './history.ts'
import {
  altered,
  counted,
  counter,
  counts,
  logger,
  type Started,
  turn,
  until,
  workshop,
} from './projecting.ts'

const { newFile, openLog, openModels, start } = workshop()

describe('several projectors on one store', () => {
  test('several projectors never count an event twice, and the remaining ones take over', async () => {
    const path = newFile()
    const file = newFile()
    const log = openLog(path)
    const history = new History(log)
    const projectors: Started[] = []
    for (let i = 0; i < 3; i++) projectors.push(await start(openLog(path), openModels(file)))
    const models = openModels(file)
    let written = 0
    while (projectors.length > 0) {
      for (let i = 0; i < 30; i++) {
        await history.grant()
        written++
        if (i % 10 === 0) await turn()
      }
      for (const projector of projectors) await projector.caughtUp()
      expect(await counted(models)).toBe(written)
      await projectors.shift()?.stop()
    }
  })

  test('a rebuild beside a running projector gives the same rows, and the projector continues on them', async () => {
    const log = openLog(newFile())
    const file = newFile()
    const models = openModels(file)
    const history = new History(log)
    await Promise.all(Array.from({ length: 2500 }, (_, i) => history.grant(i % 50)))
    const testLogger = logger()
    const projector = await start(log, models, [counts], testLogger)
    await projector.caughtUp()
    const before = dump(file)
    await rebuild(log, openModels(file), [counts])
    expect(dump(file)).toBe(before)
    await history.grant(7)
    await projector.caughtUp()
    expect(await counted(models, 7)).toBe(51)
  })
})

describe('starting over', () => {
  test('a projector starts over when the log is another one', async () => {
    const models = openModels(newFile())
    const one = openLog()
    for (let i = 0; i < 3; i++) await new History(one).grant(i)
    const first = await start(one, models)
    await first.caughtUp()
    await first.stop()
    const other = openLog()
    const history = new History(other)
    for (let i = 0; i < 5; i++) await history.grant(1)
    const testLogger = logger()
    await (await start(other, models, [counts], testLogger)).caughtUp()
    expect(await counted(models, 1)).toBe(5)
    expect(await counted(models, 2)).toBeUndefined()
    expect(testLogger.messages.length).toBe(1)
  })

  test('a projector starts over when its checkpoint is beyond the end of the log', async () => {
    const models = openModels(newFile())
    const log = openLog()
    await new History(log).grant(1)
    await publish(models, counts, { logId: log.id, position: 2 as Position }, [[accountId(2), { n: 9 }]])
    const testLogger = logger()
    await (await start(log, models, [counts], testLogger)).caughtUp()
    expect(await counted(models, 1)).toBe(1)
    expect(await counted(models, 2)).toBeUndefined()
    expect(testLogger.messages.length).toBe(1)
  })

  test('a new version of a model is filled beside the old one', async () => {
    const log = openLog()
    const models = openModels(newFile())
    const history = new History(log)
    for (let i = 0; i < 10; i++) await history.grant()
    const first = await start(log, models, [counts])
    await first.caughtUp()
    await first.stop()
    await (await start(log, models, [counter(2)])).caughtUp()
    expect(await models.get(counts, accountId(1))).toMatchObject({ n: 10, version: 1 })
    expect(await models.get(counter(2), accountId(1))).toMatchObject({ n: 10, version: 2 })
  })

  test('a model that is being filled delays no other model', async () => {
    const log = openLog()
    const file = openModels(newFile())
    const history = new History(log)
    await Promise.all(Array.from({ length: 1500 }, () => history.grant()))
    const first = await start(log, file, [counts])
    await first.caughtUp()
    await first.stop()
    const { promise: open, resolve: release } = Promise.withResolvers<void>()
    const filling = counter(1, 'filling')
    const models = altered(file, {
      commit: async (changes, before) => {
        if (changes.some(({ model }) => model.name === 'filling')) await open
        return file.commit(changes, before)
      },
    })
    const projector = await start(log, models, [counts, filling])
    await history.grant()
    await until(async () => (await counted(file)) === 1501)
    expect(await file.checkpoint(filling)).toBeNull()
    expect(await file.checkpoint(nextOf(filling))).toMatchObject({ position: 0 as Position })
    release()
    await projector.caughtUp()
    expect(await counted(file, 1, filling)).toBe(1501)
  })

  test('models at different positions catch up to the same position, and none counts an event twice', async () => {
    const log = openLog()
    const models = openModels(newFile())
    const history = new History(log)
    const late = counter(1, 'late')
    for (let i = 0; i < 10; i++) await history.grant()
    const first = await start(log, models, [counts])
    await first.caughtUp()
    await first.stop()
    for (let i = 0; i < 3; i++) await history.grant()
    await (await start(log, models, [counts, late])).caughtUp()
    expect([await counted(models), await counted(models, 1, late)]).toEqual([13, 13])
    const [own, its] = [await models.checkpoint(late), await models.checkpoint(counts)]
    expect(own).toEqual({ ...its!, generation: own!.generation })
  })
})

/** All projections, with those needed for a log without an index by account. */
const projections = projectionsOf({})

describe('rebuilding', () => {
  test('gives the same rows as live projection, byte for byte', async () => {
    const log = openLog()
    const live = newFile()
    const liveModels = openModels(live)
    const history = new History(log)
    const projector = await start(log, liveModels, projections)
    for (let n = 0; n < 6; n++) await history.open(n)
    for (let i = 0; i < 120; i++) {
      await history.run(i % 6)
      if (i % 5 === 0) await projector.caughtUp()
    }
    await history.login()
    await projector.caughtUp()
    await projector.stop()
    const rebuilt = newFile()
    const progress: number[] = []
    const events = await rebuild(log, openModels(rebuilt), projections, ({ events, position, head }) => {
      progress.push(events)
      expect(position).toBeLessThanOrEqual(head)
    })
    expect(events).toBe((await log.head())!)
    expect(progress.at(-1)).toBe(events)
    const [a, b] = [dump(live), dump(rebuilt)]
    expect(a.split('\n').length).toBeGreaterThan(300)
    expect(b).toBe(a)
    await rebuild(log, liveModels, projections)
    expect(dump(live)).toBe(a)
  })

  test('on an empty log leaves empty models', async () => {
    const models = openModels(newFile())
    const at = { logId: 'another', position: 3 as Position }
    await publish(models, counts, at, [['a', { n: 1 }]])
    expect(await rebuild(openLog(), models, [counts])).toBe(0)
    expect(await models.get(counts, 'a')).toBeUndefined()
  })
})
