/** What a run has collected can be read while it works, and is counted in its progress. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { hasBegun, openStand, type Stand } from './stand.ts'

let stand: Stand
beforeAll(async () => {
  stand = await openStand()
})
afterAll(() => stand.close())

test('a run has its items so far, and at its end those of its result', async () => {
  const account = await stand.openAccount()
  await stand.startWorker({ leaseS: 3 })
  const id = await stand.request(account, 'deaf')
  const page = async () => stand.runs.itemsPage(await stand.runOf(id), 0, 10)
  while ((await page()).items.length < 2) await new Promise((go) => setTimeout(go, 20))
  const items = [{ n: 1 }, { n: 2 }]
  expect(await page()).toEqual({ items, from: 0, total: 2, isFinal: false, next: null })
  // Its plugin reports no progress.
  expect((await stand.until(id, hasBegun)).progress).toEqual({ done: 2, total: null, message: null })
  await stand.cancel(id)
  await stand.ended(id)
  expect(await page()).toEqual({ items, from: 0, total: 2, isFinal: true, next: null })
})

test('a run that tries again has the items of its last try', async () => {
  const account = await stand.openAccount()
  const id = await stand.request(account, 'try-again', { count: 2 })
  const { result } = await stand.ended(id)
  expect((await stand.runs.itemsPage(await stand.runOf(id), 0, 10)).items).toEqual(result.items)
  expect(result.items).toHaveLength(1)
})
