/** An endpoint that its owner disables and enables while it fails. */
import { expect, test } from 'bun:test'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import type { AccountId, WebhookId } from '../../../src/domain/ids.ts'
import { startReceiver } from '../receiver.ts'
import { A, CAUSE, openStand } from '../stand.ts'

const SIX_DAYS_MS = 6 * 86_400_000

test('an endpoint that is enabled after failing for six days is not disabled at its next failure', async () => {
  const receiver = startReceiver(() => 500)
  const stand = await openStand(temporaryFolder())
  await stand.open()
  const { webhooks, clock, grant, stores } = stand
  const request = { url: receiver.url, types: ['CreditsGranted'] }
  const { record } = await webhooks.create(A, request, CAUSE)
  const id = record.webhook_id as WebhookId
  const failed = async (count: number) => {
    while ((await stores.deliveries.list(id, { limit: 9, state: 'failed' })).length < count)
      await Bun.sleep(5)
  }
  stand.deliverer.start()
  await grant(1)
  await failed(1)
  await webhooks.change(A, id, { state: 'disabled' }, CAUSE)
  const { failing_since } = (await webhooks.get(A, id))!
  expect(failing_since).not.toBeNull()
  clock.offset += SIX_DAYS_MS
  const other = 'acc_00000000000000000000000002' as AccountId
  expect(await webhooks.change(other, id, { state: 'enabled' }, CAUSE)).toBeUndefined()
  expect((await webhooks.get(A, id))?.failing_since).toBe(failing_since)
  const enabled = await webhooks.change(A, id, { state: 'enabled' }, CAUSE)
  expect(enabled).toMatchObject({ state: 'enabled', failing_since: null })
  await grant(2)
  await failed(2)
  // Time to be disabled.
  await Bun.sleep(200)
  expect((await webhooks.get(A, id))?.state).toBe('enabled')
  await stand.close()
  await receiver.stop()
}, 20_000)
