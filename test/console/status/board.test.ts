/** Anybody may ask for the status: it is read at most every ten seconds. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { loadCatalogue } from '../../../src/catalogue/catalogue.ts'
import { readConfig } from '../../../src/config.ts'
import { STATUS_DAYS, StatusBoard } from '../../../src/console/status/board.ts'
import { StoreUnavailable } from '../../../src/log/event-log.ts'
import type { ReadModels } from '../../../src/read/read-models.ts'

const plugins = join(import.meta.dirname, '../../http/plugins')
const catalogue = await loadCatalogue({ folders: [plugins], config: readConfig({}) })

function boardWith(getMany: () => Promise<undefined[]>) {
  const clock = { now: Date.parse('2026-11-29T12:00:00Z'), reads: 0 }
  const readModels = {
    getMany: () => {
      clock.reads++
      return getMany()
    },
    list: async () => [],
  } as unknown as ReadModels
  return { clock, board: new StatusBoard({ readModels, catalogue, now: () => clock.now }) }
}
const nothing = async () => catalogue.tasks.map(() => undefined)

test('requests within ten seconds share one read, also those that come at once', async () => {
  const { clock, board } = boardWith(nothing)
  const [first, second] = await Promise.all([board.read(), board.read()])
  expect(second).toBe(first)
  clock.now += 9_999
  expect(await board.read()).toBe(first)
  expect(clock.reads).toBe(1)
  clock.now += 1
  expect(await board.read()).not.toBe(first)
  expect(clock.reads).toBe(2)
})

test('a clock that was set back does not keep an old state', async () => {
  const { clock, board } = boardWith(nothing)
  await board.read()
  clock.now -= 3_600_000
  await board.read()
  expect(clock.reads).toBe(2)
})

test('every task has all days, the latest today in UTC', async () => {
  const status = await boardWith(nothing).board.read()
  const tasks = status.sources.flatMap((source) => source.tasks)
  expect(tasks.map(({ task }) => task.key).toSorted()).toEqual(
    catalogue.tasks.map(({ key }) => key).toSorted(),
  )
  for (const { days } of tasks) {
    expect(days).toHaveLength(STATUS_DAYS)
    expect([days[0]?.day, days.at(-1)?.day]).toEqual(['2026-10-31', '2026-11-29'])
  }
})

test('without read models every state is unknown, and a defect is not kept', async () => {
  const away = await boardWith(() => Promise.reject(new StoreUnavailable('away'))).board.read()
  expect([away.isKnown, away.health]).toEqual([false, 'unknown'])
  let isBroken = true
  const { board } = boardWith(() => (isBroken ? Promise.reject(new TypeError('defect')) : nothing()))
  await expect(board.read()).rejects.toThrow('defect')
  isBroken = false
  expect((await board.read()).isKnown).toBe(true)
})
