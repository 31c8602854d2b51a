/** The embedded read models: the contract, and their guarantees beyond it. */
import { expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { nextTurn } from '../../src/async/delay.ts'
import { type Position, StoreUnavailable } from '../../src/log/event-log.ts'
import { type Checkpoint, type Model, nextOf, type ReadModels } from '../../src/read/read-models.ts'
import { openSqliteReadModels } from '../../src/read/sqlite/read-models.ts'
import { build, goOn, publish } from '../support/read-models.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { readModelsContract } from './read-models.ts'

const folder = temporaryFolder()
let files = 0
const newFile = (): string => join(folder, `${++files}.db`)

readModelsContract('a SQLite file', async () => {
  const path = newFile()
  let models = openSqliteReadModels(path)
  return {
    models,
    async reopen() {
      await models.close()
      models = openSqliteReadModels(path)
      return models
    },
    close: () => models.close(),
  }
})

const model = (version: number, indexes: Model['indexes'] = {}): Model => ({
  name: 'things',
  version,
  indexes,
})
const at = (position: number) => ({ logId: 'log', position: position as Position })
const write = (models: ReadModels, to: number, of: Model, row = { n: 1 }) =>
  publish(models, of, at(to), [['a', row]])
const tablesIn = (path: string): unknown[] => {
  const db = new DatabaseSync(path)
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all()
  db.close()
  return tables.map(({ name }) => name)
}

test('an old version is deleted at the next start after the new one has reached its position, and not before', async () => {
  const path = newFile()
  let models = openSqliteReadModels(path)
  const reopen = async () => {
    await models.close()
    models = openSqliteReadModels(path)
  }
  await write(models, 10, model(1))
  await write(models, 9, model(2))
  await reopen()
  expect(await models.get(model(1), 'a')).toEqual({ n: 1 })
  await goOn(models, model(2), at(10))
  await reopen()
  expect(await models.checkpoint(model(1))).toBeNull()
  expect(await models.get(model(1), 'a')).toBeUndefined()
  expect(await models.get(model(2), 'a')).toEqual({ n: 1 })
  await models.close()
})

test('a model whose indexes changed under the same version starts from the beginning', async () => {
  const path = newFile()
  const old = openSqliteReadModels(path)
  await write(old, 1, model(1))
  await old.close()
  const reopened = openSqliteReadModels(path)
  const changed = model(1, { by_n: ['n'] })
  expect(await reopened.checkpoint(changed)).toBeNull()
  expect(await write(reopened, 1, changed)).toBe(true)
  expect(await reopened.list(changed, 'by_n', { equals: [], order: 'ascending', limit: 5 })).toEqual([
    { n: 1 },
  ])
  await reopened.close()
})

test('a commit to several models writes none when one checkpoint does not match', async () => {
  const models = openSqliteReadModels(newFile())
  await write(models, 1, model(1))
  await publish(models, model(2), at(1))
  const changes = await Promise.all(
    [model(2), model(1)].map(async (one, i) => {
      const from = (await models.checkpoint(one)) as Checkpoint
      return {
        model: one,
        from: { ...from, ...at(1 + i) },
        to: { ...from, ...at(5) },
        rows: new Map([['o', { o: 1 }]]),
      }
    }),
  )
  expect(await models.commit(changes)).toBe(false)
  expect(await models.checkpoint(model(2))).toMatchObject(at(1))
  expect(await models.get(model(2), 'o')).toBeUndefined()
  await models.close()
})

test('two processes on one file see each other’s rows, and only one of them writes from a checkpoint', async () => {
  const path = newFile()
  const one = openSqliteReadModels(path)
  const two = openSqliteReadModels(path)
  expect(await two.get(model(1), 'a')).toBeUndefined()
  await write(one, 1, model(1))
  expect(await two.get(model(1), 'a')).toEqual({ n: 1 })
  const from = (await two.checkpoint(model(1))) as Checkpoint
  expect(await goOn(one, model(1), at(2))).toBe(true)
  const rows = new Map([['a', { n: 2 }]])
  expect(await two.commit([{ model: model(1), from, to: { ...from, ...at(2) }, rows }])).toBe(false)
  await write(two, 2, model(1), { n: 3 })
  expect(await one.get(model(1), 'a')).toEqual({ n: 3 })
  await one.close()
  await two.close()
})

test('a process lists rows that another process published, and tables of old generations are dropped', async () => {
  const path = newFile()
  const lamps = model(1, { by_n: ['n'] })
  const one = openSqliteReadModels(path)
  const two = openSqliteReadModels(path)
  const list = () => one.list(lamps, 'by_n', { equals: [], order: 'ascending', limit: 5 })
  await write(one, 1, lamps)
  for (let n = 2; n < 6; n++) {
    expect(await list()).toEqual([{ n: n - 1 }])
    expect(await write(two, n, lamps, { n })).toBe(true)
  }
  expect(await list()).toEqual([{ n: 5 }])
  expect(await goOn(one, lamps, at(9), [['b', { n: 6 }]])).toBe(true)
  expect(await list()).toEqual([{ n: 5 }, { n: 6 }])
  const { generation } = (await one.checkpoint(lamps)) as Checkpoint
  expect(tablesIn(path)).toEqual(['generations', 'sqlite_sequence', `things_${generation}`])
  await one.close()
  await two.close()
})

test('a next generation without progress for a day is deleted at the next start, and one in progress stays', async () => {
  const path = newFile()
  const models = openSqliteReadModels(path)
  await build(models, model(1), at(1))
  await build(models, model(2), at(1))
  await models.close()
  const db = new DatabaseSync(path)
  db.prepare("UPDATE generations SET moved = moved - ? WHERE version LIKE '1 %'").run(25 * 3_600_000)
  db.close()
  const reopened = openSqliteReadModels(path)
  expect(await reopened.checkpoint(nextOf(model(1)))).toBeNull()
  expect(await reopened.checkpoint(nextOf(model(2)))).toMatchObject(at(1))
  await reopened.close()
})

test('orphaned tables of an interrupted drop are deleted at the next start', async () => {
  const path = newFile()
  const models = openSqliteReadModels(path)
  await write(models, 7, model(1))
  await models.close()
  const db = new DatabaseSync(path)
  db.exec(
    'CREATE TABLE models (name TEXT); CREATE TABLE things_v1 (key TEXT); CREATE TABLE things_99 (key TEXT)',
  )
  db.close()
  const reopened = openSqliteReadModels(path)
  expect(await reopened.get(model(1), 'a')).toEqual({ n: 1 })
  expect(tablesIn(path)).toHaveLength(3)
  await reopened.close()
})

/** Damages the first page of the rows. The file still opens. */
function damageRows(path: string): void {
  const db = new DatabaseSync(path)
  const { rootpage } = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name LIKE 'things_%'").get() as {
    rootpage: number
  }
  db.close()
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0xff, (rootpage - 1) * 4096, rootpage * 4096))
}

test.each([
  ['read', (models: ReadModels) => models.get(model(1), 'a')],
  ['write', (models: ReadModels) => goOn(models, model(1), at(10), [['b', { n: 2 }]])],
])('a damaged page that a %s meets leads to a new file, which a projector fills', async (_, meet) => {
  const path = newFile()
  const before = openSqliteReadModels(path)
  await write(before, 7, model(1))
  await before.close()
  damageRows(path)
  const failures: unknown[] = []
  const models = openSqliteReadModels(path, (error) => failures.push(error))
  await expect(meet(models)).rejects.toThrow(/malformed/)
  // The calls that arrive while the file is replaced wait or fail.
  expect(await write(models, 8, model(1))).toBe(true)
  expect(await models.get(model(1), 'a')).toEqual({ n: 1 })
  expect(failures).toHaveLength(1)
  await models.close()
  const reopened = openSqliteReadModels(path)
  expect(await reopened.checkpoint(model(1))).toMatchObject(at(8))
  await reopened.close()
})

test('a damaged page stays without an owner of the file', async () => {
  const path = newFile()
  const before = openSqliteReadModels(path)
  await write(before, 7, model(1))
  await before.close()
  damageRows(path)
  const models = openSqliteReadModels(path)
  await expect(models.get(model(1), 'a')).rejects.toThrow(/malformed/)
  expect(await models.checkpoint(model(1))).toMatchObject(at(7))
  await models.close()
})

test('after the file was deleted the store opens empty', async () => {
  const path = newFile()
  const models = openSqliteReadModels(path)
  await write(models, 1, model(1))
  await models.close()
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
  const anew = openSqliteReadModels(path)
  expect(await anew.checkpoint(model(1))).toBeNull()
  await anew.close()
})

test('reads run during a large commit, and see all of it or nothing', async () => {
  const models = openSqliteReadModels(newFile())
  const ids = Array.from({ length: 20_000 }, (_, i) => `key${i}`)
  const rows = new Map(ids.map((id) => [id, { id }]))
  let isWritten = false
  await publish(models, model(1), at(1))
  const written = goOn(models, model(1), at(2), rows).then(() => (isWritten = true))
  let turns = 0
  for (; !isWritten; turns++) {
    const rows = await models.getMany(model(1), ['key0', 'key19999'])
    if (!isWritten) expect(rows[0] === undefined).toBe(rows[1] === undefined)
    await nextTurn()
  }
  await written
  expect(turns).toBeGreaterThan(3)
  expect(await models.getMany(model(1), ['key0', 'key19999'])).toEqual([{ id: 'key0' }, { id: 'key19999' }])
  await models.close()
})

test('a row whose indexed field is neither number nor text is refused, and nothing is written', async () => {
  const models = openSqliteReadModels(newFile())
  const changed = model(1, { by_n: ['n'] })
  await publish(models, changed, at(1))
  await expect(goOn(models, changed, at(2), [['a', { n: true }]])).rejects.toThrow('n is indexed')
  expect(await models.checkpoint(changed)).toMatchObject(at(1))
  await models.close()
})

test('an unreadable file fails with StoreUnavailable, and an undeclared index with TypeError', async () => {
  const path = newFile()
  const models = openSqliteReadModels(path)
  const lamps = model(1, { by_n: ['n'] })
  await write(models, 1, lamps)
  const query = { equals: [], order: 'ascending', limit: 1 } as const
  expect(await models.list(lamps, 'by_n', query)).toEqual([{ n: 1 }])
  await expect(models.list(lamps, 'by_size', query)).rejects.toThrow(TypeError)
  const other = new DatabaseSync(path)
  const { generation } = (await models.checkpoint(lamps)) as Checkpoint
  other.exec(`ALTER TABLE things_${generation} RENAME TO hidden`)
  await expect(models.get(lamps, 'a')).rejects.toThrow(StoreUnavailable)
  await expect(models.getMany(lamps, ['a'])).rejects.toThrow(StoreUnavailable)
  await expect(models.list(lamps, 'by_n', query)).rejects.toThrow(StoreUnavailable)
  other.exec('ALTER TABLE generations RENAME TO hidden_generations')
  await expect(models.checkpoint(lamps)).rejects.toThrow(StoreUnavailable)
  other.close()
  await models.close()
})
