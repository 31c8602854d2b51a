/** The in-memory delivery store of the simulation fulfils the contract, including leases of several holders. */
import { expect, test } from 'bun:test'
import type { WebhookId } from '../../src/domain/ids.ts'
import type { Position } from '../../src/log/event-log.ts'
import { MemoryDeliveryStore } from '../simulation/stores/deliveries.ts'
import { delivery, deliveryStoreContract } from './delivery-store.ts'

deliveryStoreContract('memory', true, async () => {
  const store = new MemoryDeliveryStore()
  return { store, reopen: async () => store, close: async () => {} }
})

const A = 'whk_a' as WebhookId
const CURSOR = { logId: 'log', position: 2 as Position }

test('a lease expires by the clock of the store, if the store has one', async () => {
  let now = 0
  const store = new MemoryDeliveryStore({ now: () => now })
  expect([...(await store.lease([A], 'one', 100, 0)).keys()]).toEqual([A])
  expect([...(await store.lease([A], 'two', 100, 1e15)).keys()]).toEqual([])
  now = 100
  expect([...(await store.lease([A], 'two', 100, 0)).keys()]).toEqual([A])
})

test('dump shows all data of an endpoint, and clear deletes it', async () => {
  const store = new MemoryDeliveryStore()
  await store.queue(A, [delivery(2), delivery(1)], CURSOR)
  await store.lease([A], 'one', 100, 0)
  await store.noted(A, false, 7)
  expect(store.dump()).toEqual({
    [A]: {
      cursor: CURSOR,
      lease: { holder: 'one', until: 100 },
      health: { failingSince: 7, lastSuccessAt: null },
      deliveries: [delivery(1), delivery(2)],
    },
  })
  store.clear()
  expect(store.dump()).toEqual({})
  expect(await store.cursor(A)).toBeUndefined()
})
