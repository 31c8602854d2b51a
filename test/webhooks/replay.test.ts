/** Replays that are requested while something else happens to the delivery. */
import { expect, test } from 'bun:test'
import type { WebhookId } from '../../src/domain/ids.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { startReceiver } from './receiver.ts'
import { A, CAUSE, openStand } from './stand.ts'

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
  const found = async () => (await stand.stores.deliveries.list(id, { limit: 1 }))[0]!
  while ((await found()).attempts.length < 5) await Bun.sleep(5)
  const { state, attempts } = await found()
  expect({ state, statuses: attempts.map(({ status }) => status) }).toEqual({
    state: 'delivered',
    statuses: [500, 500, 500, 500, 204],
  })
  await stand.close()
  await receiver.stop()
}, 20_000)
