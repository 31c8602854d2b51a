/** Deliveries and tests of an endpoint, one by one, with what is sent. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import { StoreUnavailable } from '../../../src/log/event-log.ts'
import type { DeliveryStore } from '../../../src/webhooks/deliveries/delivery-store.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { A, CAUSE, openStand, type Stand } from '../stand.ts'

const DAY_MS = 24 * 3_600_000

let receiver: Receiver
let stand: Stand
let isAway = false
beforeEach(async () => {
  isAway = false
  receiver = startReceiver()
  stand = await openStand(temporaryFolder(), ({ deliveries }) => ({
    deliveries: {
      ...deliveries,
      tested: async (...test: Parameters<DeliveryStore['tested']>) => {
        if (isAway) throw new StoreUnavailable('away')
        return deliveries.tested(...test)
      },
    },
  }))
  await stand.open()
})
afterEach(async () => {
  await receiver.stop()
  await stand.close()
})

const create = async () => {
  const request = { url: receiver.url, types: ['CreditsGranted'] }
  return (await stand.webhooks.create(A, request, CAUSE)).record.webhook_id
}

test('the body of a delivery is the one that was sent, and so is the body of a test', async () => {
  const { webhooks, deliverer } = stand
  const id = await create()
  deliverer.start()
  await stand.grant(5)
  await receiver.until((all) => all.length === 1)
  await webhooks.test(A, id, CAUSE)
  for (const { event, body } of receiver.received) {
    const found = await webhooks.sent.find(A, id, event.id)
    expect(JSON.stringify(found?.message)).toBe(body)
  }
  expect(await webhooks.sent.tests(A, id)).toMatchObject([{ type: 'WebhookTest', state: 'delivered' }])
})

test('a test is not shown for longer than deliveries are kept', async () => {
  const id = await create()
  await stand.webhooks.test(A, id, CAUSE)
  stand.clock.offset = 29 * DAY_MS
  expect(await stand.webhooks.sent.tests(A, id)).toHaveLength(1)
  stand.clock.offset = 31 * DAY_MS
  expect(await stand.webhooks.sent.tests(A, id)).toEqual([])
  const [{ event }] = receiver.received as [(typeof receiver.received)[0]]
  expect(await stand.webhooks.sent.find(A, id, event.id)).toBeUndefined()
})

test('a test says its outcome although it cannot be kept', async () => {
  const id = await create()
  isAway = true
  expect(await stand.webhooks.test(A, id, CAUSE)).toMatchObject({ delivered: true, status: 204 })
  expect(await stand.webhooks.sent.tests(A, id)).toEqual([])
})
