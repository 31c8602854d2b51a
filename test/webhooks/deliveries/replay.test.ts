/** Replays that are requested while something else happens to the delivery. */
import { expect, test } from 'bun:test'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import { nextTurn } from '../../../src/async/delay.ts'
import { accountStream, type WebhookId } from '../../../src/domain/ids.ts'
import type { Stores } from '../../../src/stores.ts'
import { startReceiver } from '../receiver.ts'
import { A, CAUSE, openStand } from '../stand.ts'

test('a delivery that is replayed during its last attempt is sent again, and both attempts are kept', async () => {
  const replayed = Promise.withResolvers<void>()
  const receiver = startReceiver(async (_, count) => {
    if (count === 4) await replayed.promise
    return count > 4 ? 204 : 500
  })
  const stand = await openStand(temporaryFolder())
  await stand.open()
  const request = { url: receiver.url, types: ['CreditsGranted'] }
  const { record } = await stand.webhooks.create(A, request, CAUSE)
  const id = record.webhook_id as WebhookId
  stand.deliverer.start()
  await stand.grant(1)
  while (receiver.received.length < 4) await Bun.sleep(5)
  const { event } = receiver.received[0]!
  expect(await stand.webhooks.replay(A, id, { event_id: event.id })).toBe(1)
  replayed.resolve()
  const firstDelivery = async () => (await stand.stores.deliveries.list(id, { limit: 1 }))[0]!
  while ((await firstDelivery()).attempts.length < 5) await Bun.sleep(5)
  const { state, attempts } = await firstDelivery()
  expect({ state, statuses: attempts.map(({ status }) => status) }).toEqual({
    state: 'delivered',
    statuses: [500, 500, 500, 500, 204],
  })
  await stand.close()
  await receiver.stop()
}, 20_000)

test('the searches for events that an account replays run one at a time', async () => {
  const reads = { now: 0, most: 0 }
  const stand = await openStand(temporaryFolder(), ({ log }): Partial<Stores> => {
    const readAccount: typeof log.readAccount = async (...args) => {
      reads.most = Math.max(reads.most, ++reads.now)
      const events = await log.readAccount!(...args)
      await nextTurn()
      reads.now--
      return events
    }
    return { log: Object.assign(Object.create(log), { readAccount }) }
  })
  await stand.open()
  const { record } = await stand.webhooks.create(A, { url: 'http://127.0.0.1/' }, CAUSE)
  const id = record.webhook_id as WebhookId
  const [opened] = await stand.stores.log.readStream(accountStream(A), 0, 1)
  const ids = ['none', 'none', opened!.id, 'none']
  const replayed = ids.map((event_id) => stand.webhooks.replay(A, id, { event_id }))
  expect(await Promise.all(replayed)).toEqual([undefined, undefined, 1, undefined])
  expect(reads.most).toBe(1)
  await stand.close()
})

test('a replay of a time span sends only events of the types that the endpoint has now', async () => {
  const receiver = startReceiver()
  const stand = await openStand(temporaryFolder(), undefined, '')
  await stand.open()
  const { record } = await stand.webhooks.create(A, { url: receiver.url, types: ['CreditsGranted'] }, CAUSE)
  const id = record.webhook_id as WebhookId
  await stand.grant(1)
  const span = { from: 0 }
  expect(await stand.webhooks.replay(A, id, span)).toBe(1)

  // The endpoint failed with events that it asked for once, and with one that was replayed by its id.
  await stand.webhooks.change(A, id, { types: ['WebhookChanged'] }, CAUSE)
  const [opened] = await stand.stores.log.readStream(accountStream(A), 0, 1)
  await stand.webhooks.replay(A, id, { event_id: opened!.id })
  const failed = await stand.stores.deliveries.list(id, { limit: 9 })
  await stand.stores.deliveries.put(failed.map((one) => ({ ...one, state: 'failed', nextAt: null })))
  expect(failed.map(({ type }) => type)).toEqual(['CreditsGranted', 'AccountOpened'])
  expect(await stand.webhooks.replay(A, id, { ...span, only_failed: true })).toBe(0)
  expect(await stand.webhooks.replay(A, id, span)).toBe(1)
  await stand.close()
  await receiver.stop()
})
