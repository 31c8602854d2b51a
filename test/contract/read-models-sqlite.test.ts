/** The embedded read models keep the contract, and what they promise beyond it. */
import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { nextTurn } from '../../src/async/delay.ts'
import { type Position, StoreUnavailable } from '../../src/log/event-log.ts'
import { draftOf, type Model, type ReadModels } from '../../src/read/read-models.ts'
import { openSqliteReadModels } from '../../src/read/sqlite/read-models.ts'
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
  models.commit([{ model: of, from: null, to: at(to), rows: new Map([['a', row]]) }])

test('an old version goes at the next start after the new one has passed it, and not before', async () => {
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
  await models.commit([{ model: model(2), from: at(9), to: at(10), rows: new Map() }])
  await reopen()
  expect(await models.position(model(1))).toBeNull()
  expect(await models.get(model(1), 'a')).toBeUndefined()
  expect(await models.get(model(2), 'a')).toEqual({ n: 1 })
  await models.close()
})

test('a model whose indexes changed under the same version begins anew', async () => {
  const path = newFile()
  const old = openSqliteReadModels(path)
  await write(old, 1, model(1))
  await old.close()
  const reopened = openSqliteReadModels(path)
  const changed = model(1, { by_n: ['n'] })
  expect(await reopened.position(changed)).toBeNull()
  expect(await write(reopened, 1, changed)).toBe(true)
  expect(await reopened.list(changed, 'by_n', { equals: [], order: 'ascending', limit: 5 })).toEqual([
    { n: 1 },
  ])
  await reopened.close()
})

test('of several models none is written when one stands elsewhere', async () => {
  const models = openSqliteReadModels(newFile())
  await write(models, 1, model(1))
  const rows = new Map([['o', { o: 1 }]])
  const changes = [
    { model: model(2), from: null, to: at(5), rows },
    { model: model(1), from: at(4), to: at(5), rows: new Map([['a', null]]) },
  ]
  expect(await models.commit(changes)).toBe(false)
  expect(await models.position(model(2))).toBeNull()
  expect(await models.get(model(2), 'o')).toBeUndefined()
  await models.close()
})

test('two processes on one file see each other, and only one of them writes from one place', async () => {
  const path = newFile()
  const one = openSqliteReadModels(path)
  const two = openSqliteReadModels(path)
  expect(await two.get(model(1), 'a')).toBeUndefined()
  expect(await write(one, 1, model(1))).toBe(true)
  expect(await two.get(model(1), 'a')).toEqual({ n: 1 })
  expect(await write(two, 1, model(1), { n: 2 })).toBe(false)
  await two.reset(model(1))
  expect(await one.position(model(1))).toBeNull()
  expect(await write(one, 2, model(1), { n: 3 })).toBe(true)
  expect(await two.get(model(1), 'a')).toEqual({ n: 3 })
  await one.close()
  await two.close()
})

test('rows that another process has replaced are listed, and its table is gone', async () => {
  const path = newFile()
  const lamps = model(1, { by_n: ['n'] })
  const one = openSqliteReadModels(path)
  const two = openSqliteReadModels(path)
  const list = () => one.list(lamps, 'by_n', { equals: [], order: 'ascending', limit: 5 })
  await write(one, 1, lamps)
  for (let n = 2; n < 6; n++) {
    expect(await list()).toEqual([{ n: n - 1 }])
    await write(two, n, draftOf(lamps), { n })
    expect(await two.replace(lamps)).toBe(true)
  }
  expect(await list()).toEqual([{ n: 5 }])
  expect(
    await one.commit([
      { model: lamps, from: await one.position(lamps), to: at(9), rows: new Map([['b', { n: 6 }]]) },
    ]),
  ).toBe(true)
  expect(await list()).toEqual([{ n: 5 }, { n: 6 }])
  const db = new DatabaseSync(path)
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all()
  expect(tables.map(({ name }) => name)).toEqual(['models', 'things_v1'])
  db.close()
  await one.close()
  await two.close()
})

test('a draft that nobody has moved for a day goes at the next start, one at work stays', async () => {
  const path = newFile()
  const models = openSqliteReadModels(path)
  await write(models, 1, draftOf(model(1)))
  await write(models, 1, draftOf(model(2)))
  await models.close()
  const db = new DatabaseSync(path)
  db.prepare('UPDATE models SET moved = moved - ? WHERE version = 1').run(25 * 3_600_000)
  db.close()
  const reopened = openSqliteReadModels(path)
  expect(await reopened.position(draftOf(model(1)))).toBeNull()
  expect(await reopened.position(draftOf(model(2)))).toEqual(at(1))
  await reopened.close()
})

test('a file of an earlier release is taken over as it is', async () => {
  const path = newFile()
  const db = new DatabaseSync(path)
  db.exec(`CREATE TABLE models (name TEXT NOT NULL, version INTEGER NOT NULL, shape TEXT NOT NULL, log_id TEXT,
    position INTEGER, PRIMARY KEY (name, version)) STRICT, WITHOUT ROWID;
    CREATE TABLE things_v1 (key TEXT PRIMARY KEY, body TEXT NOT NULL);
    INSERT INTO models VALUES ('things', 1, '{}', 'log', 7);
    INSERT INTO things_v1 VALUES ('a', '{"n":1}');`)
  db.close()
  const models = openSqliteReadModels(path)
  expect(await models.position(model(1))).toEqual(at(7))
  expect(await models.get(model(1), 'a')).toEqual({ n: 1 })
  await models.close()
})

test('the file may be deleted: what is opened then is empty', async () => {
  const path = newFile()
  const models = openSqliteReadModels(path)
  await write(models, 1, model(1))
  await models.close()
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
  const anew = openSqliteReadModels(path)
  expect(await anew.position(model(1))).toBeNull()
  await anew.close()
})

test('others have their turn during a large commit, and see all of it or nothing', async () => {
  const models = openSqliteReadModels(newFile())
  const ids = Array.from({ length: 20_000 }, (_, i) => `key${i}`)
  const rows = new Map(ids.map((id) => [id, { id }]))
  let isWritten = false
  const written = models
    .commit([{ model: model(1), from: null, to: at(1), rows }])
    .then(() => (isWritten = true))
  let turns = 0
  for (; !isWritten; turns++) {
    const seen = await models.getMany(model(1), ['key0', 'key19999'])
    if (!isWritten) expect(seen[0] === undefined).toBe(seen[1] === undefined)
    await nextTurn()
  }
  await written
  expect(turns).toBeGreaterThan(3)
  expect(await models.getMany(model(1), ['key0', 'key19999'])).toEqual([{ id: 'key0' }, { id: 'key19999' }])
  await models.close()
})

test('a field that is indexed and holds neither number nor text is a defect that is told', async () => {
  const models = openSqliteReadModels(newFile())
  const changed = model(1, { by_n: ['n'] })
  const rows = new Map([['a', { n: true }]])
  expect(models.commit([{ model: changed, from: null, to: at(1), rows }])).rejects.toThrow('n is indexed')
  expect(await models.position(changed)).toBeNull()
  await models.close()
})

test('a file that can not be read is an unavailable store, and a wrong question is not', async () => {
  const path = newFile()
  const models = openSqliteReadModels(path)
  const lamps = model(1, { by_n: ['n'] })
  await write(models, 1, lamps)
  const query = { equals: [], order: 'ascending', limit: 1 } as const
  expect(await models.list(lamps, 'by_n', query)).toEqual([{ n: 1 }])
  expect(models.list(lamps, 'by_size', query)).rejects.toThrow(TypeError)
  const other = new DatabaseSync(path)
  other.exec('ALTER TABLE things_v1 RENAME TO hidden; ALTER TABLE models RENAME TO hidden_models')
  expect(models.get(lamps, 'a')).rejects.toThrow(StoreUnavailable)
  expect(models.getMany(lamps, ['a'])).rejects.toThrow(StoreUnavailable)
  expect(models.list(lamps, 'by_n', query)).rejects.toThrow(StoreUnavailable)
  expect(models.position(lamps)).rejects.toThrow(StoreUnavailable)
  other.close()
  await models.close()
})
