/** Live items within one process: the contract, and that they cost a run nothing. */
import { expect, test } from 'bun:test'
import { LocalLiveItems } from '../../src/runs/items/live-items.ts'
import { pageOf } from '../../src/runs/items/page.ts'
import { Collected } from '../../src/worker/collected.ts'
import { itemsOf, liveItemsContract } from './live-items.ts'

liveItemsContract('one process', async () => {
  const items = new LocalLiveItems()
  return { worker: items, reader: items, close: async () => {} }
})

const RUN = { runId: 'run_1', accountId: 'acc_1', attempt: 1 } as never

test('items are shown at once, and 10,000 of 20 MB without a limit', async () => {
  const items = new LocalLiveItems()
  const collected = new Collected()
  items.share(RUN, collected)
  const text = 'x'.repeat(2_000)
  for (let n = 0; n < 10_000; n += 100)
    collected.add(itemsOf(...Array.from({ length: 100 }, (_, i) => ({ n: n + i, text }))))
  const page = await pageOf((await items.find(RUN))!, 9_990, 50)
  expect(page).toMatchObject({ total: 10_000, next: null, isFinal: false })
  expect(page.items.map(({ n }) => n)).toEqual([9990, 9991, 9992, 9993, 9994, 9995, 9996, 9997, 9998, 9999])
})

test('an attempt that ends late does not end the sharing of the next one', async () => {
  const items = new LocalLiveItems()
  const first = items.share(RUN, new Collected())
  const collected = new Collected()
  items.share({ ...(RUN as object), attempt: 2 } as never, collected)
  collected.add(itemsOf({}))
  first.stop()
  expect((await items.find({ ...(RUN as object), attempt: 2 } as never))?.total).toBe(1)
})
