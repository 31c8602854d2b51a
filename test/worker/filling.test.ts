/** Counts of the filled fields of items: counted in the child process, reported with the end of the run. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Filling } from '../../src/worker/process/child/items.ts'
import { openStand, type Stand } from './stand.ts'

let stand: Stand
beforeEach(async () => {
  stand = await openStand()
})
afterEach(() => stand.close())

test('a field counts as filled unless it is null or missing; false, 0 and an empty list are values', () => {
  const filling = new Filling(['id', 'price', 'sold', 'images', 'kind', 'note'])
  expect(filling.sums).toBeNull()
  filling.add({ id: 'a', price: 0, sold: false, images: [], kind: null })
  filling.add({ id: 'b', price: null, sold: true, images: ['x'], kind: 'lamp' })
  expect(filling.sums).toEqual({ items: 2, filled: [2, 1, 2, 2, 1, 0] })
  filling.clear()
  expect(filling.sums).toBeNull()
  filling.add({ id: 'c' })
  expect(filling.sums).toEqual({ items: 1, filled: [1, 0, 0, 0, 0, 0] })
})

test('a run reports its filled fields once at any end, without the items discarded by TryAgain', async () => {
  const account = await stand.openAccount()
  await stand.startWorker({ workerConcurrency: 1 })
  const reportsOf = async (task: string, input: object, end: string) => {
    stand.itemReports.length = 0
    expect(await stand.ended(await stand.request(account, task, input))).toMatchObject({ run_status: end })
    return stand.itemReports
  }
  const of = (task: string, items: number) => [
    { task: `faults.${task}`, columns: ['n'], items, filled: [items], skipped: 0 },
  ]
  expect(await reportsOf('count', { count: 1200 }, 'succeeded')).toEqual(of('count', 1200))
  expect(await reportsOf('changed', {}, 'failed')).toEqual(of('changed', 2))
  expect(await reportsOf('bad-output', {}, 'errored')).toEqual(of('bad-output', 1))
  expect(await reportsOf('try-again', { count: 2 }, 'succeeded')).toEqual(of('try-again', 1))
  expect(await reportsOf('count', { count: 0 }, 'succeeded')).toEqual([])
})
