/** The in-memory read models of the simulation fulfil the contract. */
import { expect, test } from 'bun:test'
import type { Position } from '../../src/log/event-log.ts'
import type { Model } from '../../src/read/read-models.ts'
import { MemoryReadModels } from '../simulation/stores/read-models.ts'
import { goOn, publish } from '../support/read-models.ts'
import { readModelsContract } from './read-models.ts'

readModelsContract('memory', async () => {
  const models = new MemoryReadModels()
  return { models, reopen: async () => models, close: async () => {} }
})

const things: Model = { name: 'things', version: 3, indexes: { by_size: ['size'] } }
const at = (position: number) => ({ logId: 'log', position: position as Position })

test('dump shows the published generation', async () => {
  const models = new MemoryReadModels()
  await publish(models, things, at(5), [['a', { size: 1 }]])
  const { generation } = await models.begin(things, 'log')
  expect(generation).toBe(2)
  expect(models.dump()).toEqual({
    'things.3': { checkpoint: { ...at(5), generation: 1 }, rows: { a: { size: 1 } } },
  })
})

test('stored rows are copies: neither the writer nor a reader can change them', async () => {
  const models = new MemoryReadModels()
  const row = { size: 1, deep: [1] }
  await publish(models, things, at(1), [['a', row]])
  row.deep.push(2)
  const read = (await models.get(things, 'a')) as typeof row
  read.deep.push(3)
  expect(await models.get(things, 'a')).toEqual({ size: 1, deep: [1] })
})

test('clear deletes everything, and an earlier builder writes nothing afterwards', async () => {
  const models = new MemoryReadModels()
  await publish(models, things, at(1), [['a', { size: 1 }]])
  const from = (await models.checkpoint(things))!
  models.clear()
  expect(await models.checkpoint(things)).toBeNull()
  expect(models.dump()).toEqual({})
  await publish(models, things, at(1))
  const rows = new Map([['a', { size: 2 }]])
  expect(await models.commit([{ model: things, from, to: { ...from, ...at(2) }, rows }])).toBe(false)
  expect(await models.get(things, 'a')).toBeUndefined()
})

test('a row whose indexed field is neither number nor text is refused, and nothing is written', async () => {
  const models = new MemoryReadModels()
  await publish(models, things, at(1))
  await expect(goOn(models, things, at(2), [['a', { size: true }]])).rejects.toThrow('things.size')
  expect(await models.checkpoint(things)).toMatchObject(at(1))
})
