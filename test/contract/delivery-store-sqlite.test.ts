/** The embedded store of deliveries keeps the contract, and what it holds outlives a restart. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { StreamName, WebhookId } from '../../src/domain/ids.ts'
import type { Position } from '../../src/log/event-log.ts'
import type { Delivery } from '../../src/webhooks/delivery-store.ts'
import { openSqliteDeliveryStore } from '../../src/webhooks/sqlite/delivery-store.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { deliveryStoreContract } from './delivery-store.ts'

deliveryStoreContract('a SQLite file', false, async () => {
  const store = openSqliteDeliveryStore(join(temporaryFolder(), 'webhooks.db'))
  return { store, close: () => store.close() }
})

test('a delivery and a cursor of before a restart are still there', async () => {
  const path = join(temporaryFolder(), 'webhooks.db')
  const before = openSqliteDeliveryStore(path)
  const cursor = { logId: 'log', position: 4 as Position }
  const delivery: Delivery = {
    ...{
      webhookId: 'whk_a' as WebhookId,
      eventId: 'e',
      position: 4 as Position,
      stream: 'run-1' as StreamName,
    },
    ...{
      revision: 0,
      type: 'RunFailed',
      state: 'pending',
      attempts: [],
      tries: 0,
      nextAt: 9,
      once: true,
      queuedAt: 1,
    },
  }
  await before.queue('whk_a' as WebhookId, [delivery], cursor)
  await before.close()
  const after = openSqliteDeliveryStore(path)
  expect(await after.cursor('whk_a' as WebhookId)).toEqual(cursor)
  expect(await after.due('whk_a' as WebhookId, 9, 9)).toEqual([delivery])
  await after.close()
})
