/** The retention of deliveries. */
import { expect, test } from 'bun:test'
import { delivery } from '../../../rigs/contract/delivery-store.ts'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import type { WebhookId } from '../../../src/domain/ids.ts'
import { openStand } from '../stand.ts'

const ID = 'whk_a' as WebhookId

test('one sweep deletes all deliveries older than 30 days, however many, and no newer one', async () => {
  const { stores, webhooks, close } = await openStand(temporaryFolder())
  const old = Date.now() - 31 * 86_400_000
  const many = Array.from({ length: 2500 }, (_, i) => delivery(i, { queuedAt: old }))
  await stores.deliveries.put([...many, delivery(9999, { queuedAt: Date.now() })])
  await webhooks.sweepDeliveries()
  expect((await stores.deliveries.list(ID, { limit: 9 })).map(({ eventId }) => eventId)).toEqual([
    'event-9999',
  ])
  await close()
})

test('a sweep that is stopped ends after the step in progress', async () => {
  const { stores, webhooks, close } = await openStand(temporaryFolder())
  await stores.deliveries.put(Array.from({ length: 2500 }, (_, i) => delivery(i, { queuedAt: 1 })))
  await webhooks.sweepDeliveries(AbortSignal.abort())
  expect(await stores.deliveries.list(ID, { limit: 9999 })).toHaveLength(1500)
  await close()
})
