/** The projector: every event once, whatever fails, stops, or works beside it. */
import { afterEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { projections } from '../../projections/all.ts'
import type { Delivery, EventLog, Position } from '../../src/log/event-log.ts'
import { openSqliteLog } from '../../src/log/sqlite.ts'
import { Projector, type ProjectorOptions } from '../../src/read/projector.ts'
import type { Projection, ReadModels, Row } from '../../src/read/read-models.ts'
import { rebuild } from '../../src/read/rebuild.ts'
import { openSqliteReadModels } from '../../src/read/sqlite.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { accountId, dump, History } from './history.ts'

const folder = temporaryFolder()
let files = 0
const newFile = (): string => join(folder, `${++files}.db`)

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

function openLog(path = ':memory:'): EventLog {
  const log = openSqliteLog(path)
  closing.push(() => log.close())
  return log
}
function openModels(path: string): ReadModels {
  const models = openSqliteReadModels(path)
  closing.push(() => models.close())
  return models
}
async function start(
  log: EventLog,
  models: ReadModels,
  of: readonly Projection[] = [counts],
  options: ProjectorOptions = {},
): Promise<Projector> {
  const projector = new Projector(log, models, of, options)
  closing.push(() => projector.stop())
  await projector.start()
  return projector
}

/** Not idempotent: an event that is handled twice, or lost, shows. */
const counts = counter(1)
function counter(version: number, name = 'counts'): Projection {
  const projection: Projection<Row & { n: number; last: number }, 'CreditsGranted'> = {
    name,
    version,
    types: ['CreditsGranted'],
    key: ({ event }) => event.data.account_id,
    apply: (row, { position }) => ({ n: (row?.n ?? 0) + 1, last: position, version }),
    indexes: {},
  }
  return projection as unknown as Projection
}
const counted = async (models: ReadModels, n = 1, of: Projection = counts): Promise<unknown> =>
  (await models.get(of, accountId(n)))?.n

/** Logs what it is told. */
function logger() {
  const told: string[] = []
  const tell = (_: object, message: string) => void told.push(message)
  return { told, info: tell, warn: tell, error: tell }
}

const turn = (): Promise<void> => new Promise((go) => setTimeout(go, 1))
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await turn()
}

/** Read models with some methods replaced. */
const altered = (models: ReadModels, changed: Partial<ReadModels>): ReadModels =>
  new Proxy(models, {
    get: (target, name) => {
      const value = changed[name as keyof ReadModels] ?? target[name as keyof ReadModels]
      return value.bind(target)
    },
  })

describe('following', () => {
  test('what was there before the start and what comes after it is shown', async () => {
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
      expect(await projector.waitFor((await log.head())!, 60_000)).toBe(true)
      expect(await counted(models)).toBe(234 + i)
    }
  })

  test('an empty log is caught up at once', async () => {
    const projector = await start(openLog(), openModels(newFile()))
    await projector.caughtUp()
    expect((await projector.lag())[0]).toMatchObject({ position: null, head: null, seconds: 0 })
  })

  test('positions of events that change nothing are stored in the end', async () => {
    const log = openLog()
    const models = openModels(newFile())
    const history = new History(log)
    const projector = await start(log, models)
    for (let i = 0; i < 20; i++) await history.login()
    await projector.caughtUp()
    await until(async () => (await models.position(counts))?.position === (await log.head()))
  })

  test('a burst is written with few commits', async () => {
    const log = openLog()
    let commits = 0
    const file = openModels(newFile())
    const models = altered(file, {
      commit: (changes) => {
        commits++
        return file.commit(changes)
      },
    })
    const history = new History(log)
    const projector = await start(log, models)
    await Promise.all(Array.from({ length: 2000 }, () => history.grant()))
    await projector.caughtUp()
    expect(await counted(models)).toBe(2000)
    expect(commits).toBeLessThan(100)
  })

  test('waiting for what is not there ends with its time, or with the projector', async () => {
    const log = openLog()
    const projector = await start(log, openModels(newFile()))
    expect(await projector.waitFor(5 as Position, 1)).toBe(false)
    const waiting = projector.waitFor(5 as Position, 60_000)
    await projector.stop()
    expect(await waiting).toBe(false)
  })

  test('lag is told while there is something to do, and nothing when it is done', async () => {
    const log = openLog()
    const file = openModels(newFile())
    const { promise: open, resolve: release } = Promise.withResolvers<void>()
    const models = altered(file, { commit: (changes) => open.then(() => file.commit(changes)) })
    await new History(log).grant()
    const ages: number[] = []
    const projector = await start(log, models, [counts], { onLag: (seconds) => ages.push(seconds) })
    await turn()
    const [behind] = await projector.lag()
    expect(behind).toMatchObject({ model: 'counts', version: 1, position: null, head: 1, skipped: 0 })
    expect(behind?.seconds).toBeGreaterThan(0)
    release()
    await projector.caughtUp()
    expect((await projector.lag())[0]).toMatchObject({ position: 1, head: 1, seconds: 0 })
    expect(ages.length).toBe(1)
  })
})

describe('exactly once', () => {
  test('stopped and started again at any place, every event counts once', async () => {
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
      if (round % 3 > 1) await projector.caughtUp()
      await projector.stop()
      await models.close()
      await writing
    }
    const models = openModels(file)
    await (await start(log, models)).caughtUp()
    expect(await counted(models)).toBe(12 * 40)
  })

  test('a stop writes what was gathered, and a start goes on right behind it', async () => {
    const log = openLog()
    const file = openModels(newFile())
    const history = new History(log)
    await history.grant()
    const first = await start(log, file)
    await first.caughtUp()
    await first.stop()
    const stood = await file.position(counts)
    expect(stood?.position).toBe((await log.head())!)
    await history.grant()
    const asked: (Position | null)[] = []
    const watched: EventLog = Object.create(log, {
      subscribe: {
        value: (after: Position | null, options: Parameters<EventLog['subscribe']>[1]) => {
          asked.push(after)
          return log.subscribe(after, options)
        },
      },
    })
    await (await start(watched, file)).caughtUp()
    expect(asked).toEqual([stood!.position])
    expect(await counted(file)).toBe(2)
  })

  test('commits that fail, before or after they were written, are tried again and told', async () => {
    const log = openLog()
    const file = openModels(newFile())
    let commits = 0
    const models = altered(file, {
      commit: async (changes) => {
        commits++
        if (commits % 3 === 1) throw new Error('before')
        const written = await file.commit(changes)
        if (commits % 3 === 2) throw new Error('after')
        return written
      },
    })
    const history = new History(log)
    const heard = logger()
    const projector = await start(log, models, [counts], { logger: heard })
    for (let i = 0; i < 4; i++) {
      await history.grant()
      await projector.caughtUp()
    }
    expect(await counted(models)).toBe(4)
    expect(heard.told).toContain('projecting failed and is tried again')
  })

  test('events that the log delivers twice count once', async () => {
    const log = openLog()
    const models = openModels(newFile())
    async function* twice(deliveries: AsyncIterable<Delivery>): AsyncGenerator<Delivery> {
      let before: Delivery | undefined
      for await (const delivery of deliveries) {
        yield delivery
        if (before) yield before
        yield delivery
        before = delivery
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

describe('several projectors on one store', () => {
  test('they never count an event twice, and who is left takes over', async () => {
    const path = newFile()
    const file = newFile()
    const log = openLog(path)
    const history = new History(log)
    const projectors: Projector[] = []
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

  test('a rebuild beside a projector takes its place and gives it back', async () => {
    const log = openLog(newFile())
    const file = newFile()
    const models = openModels(file)
    const history = new History(log)
    for (let i = 0; i < 2500; i++) await history.grant(i % 50)
    const heard = logger()
    const projector = await start(log, models, [counts], { logger: heard })
    await projector.caughtUp()
    const before = dump(file)
    await rebuild(log, openModels(file), [counts])
    expect(dump(file)).toBe(before)
    await history.grant(7)
    await projector.caughtUp()
    expect(await counted(models, 7)).toBe(51)
  })
})

describe('beginning anew', () => {
  test('positions of another log mean nothing', async () => {
    const models = openModels(newFile())
    const one = openLog()
    for (let i = 0; i < 3; i++) await new History(one).grant(i)
    const first = await start(one, models)
    await first.caughtUp()
    await first.stop()
    const other = openLog()
    const history = new History(other)
    for (let i = 0; i < 5; i++) await history.grant(1)
    const heard = logger()
    await (await start(other, models, [counts], { logger: heard })).caughtUp()
    expect(await counted(models, 1)).toBe(5)
    expect(await counted(models, 2)).toBeUndefined()
    expect(heard.told.length).toBe(1)
  })

  test('a position beyond the end of the log means that the log is an older copy', async () => {
    const models = openModels(newFile())
    const log = openLog()
    await new History(log).grant(1)
    const rows = new Map([[accountId(2), { n: 9 }]])
    const to = { logId: log.id, position: 2 as Position }
    await models.commit([{ model: counts, from: null, to, rows }])
    const heard = logger()
    await (await start(log, models, [counts], { logger: heard })).caughtUp()
    expect(await counted(models, 1)).toBe(1)
    expect(await counted(models, 2)).toBeUndefined()
    expect(heard.told.length).toBe(1)
  })

  test('a new version fills beside the old one', async () => {
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

  test('a model that fills holds up no other', async () => {
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
      getMany: async (model, keys) => {
        if (model.name === 'filling') await open
        return file.getMany(model, keys)
      },
    })
    const projector = await start(log, models, [counts, filling])
    await history.grant()
    await until(async () => (await counted(file)) === 1501)
    expect(await file.position(filling)).toBeNull()
    release()
    await projector.caughtUp()
    expect(await counted(file, 1, filling)).toBe(1501)
  })

  test('models that stand at different places come together, and none sees an event twice', async () => {
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
    expect(await models.position(late)).toEqual(await models.position(counts))
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

  test.each(['key', 'apply'] as const)('skips the event and tells of it when its %s throws', async (in_) => {
    const log = openLog()
    const models = openModels(newFile())
    const history = new History(log)
    const heard = logger()
    const projector = await start(log, models, [broken(in_), counts], { logger: heard })
    for (let i = 0; i < 3; i++) await history.grant()
    await projector.caughtUp()
    expect(await counted(models, 1, broken(in_))).toBe(2)
    expect(await counted(models)).toBe(3)
    expect(heard.told).toEqual(['a projection could not handle an event and skipped it'])
    expect((await projector.lag()).map(({ skipped }) => skipped)).toEqual([1, 0])
  })

  test('stops a rebuild, which names the event', async () => {
    const log = openLog()
    const history = new History(log)
    for (let i = 0; i < 3; i++) await history.grant()
    const rebuilding = rebuild(log, openModels(newFile()), [broken('apply')])
    expect(rebuilding).rejects.toThrow(`broken can't handle CreditsGranted of account-${accountId(1)} at 1`)
    await rebuilding.catch(() => undefined)
  })
})

describe('rebuilding', () => {
  test('gives the same rows as following live, byte for byte', async () => {
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

  test('an empty log leaves empty models', async () => {
    const models = openModels(newFile())
    const at = { logId: 'another', position: 3 as Position }
    await models.commit([{ model: counts, from: null, to: at, rows: new Map([['a', { n: 1 }]]) }])
    expect(await rebuild(openLog(), models, [counts])).toBe(0)
    expect(await models.get(counts, 'a')).toBeUndefined()
  })
})
