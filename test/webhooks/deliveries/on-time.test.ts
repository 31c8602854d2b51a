/** How soon a retry is made after it is due. */
import { expect, test } from 'bun:test'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import { startReceiver } from '../receiver.ts'
import { A, CAUSE, openStand } from '../stand.ts'

test('a retry after a short delay does not wait for the next look for due deliveries', async () => {
  const receiver = startReceiver((_, count) => (count < 3 ? 500 : 204))
  // Looking finds nothing.
  const blind = { dueWebhooks: async () => [] }
  const stand = await openStand(
    temporaryFolder(),
    ({ deliveries }) => ({ deliveries: { ...deliveries, ...blind } }),
    '1,1',
  )
  await stand.open()
  await stand.webhooks.create(A, { url: receiver.url, types: ['CreditsGranted'] }, CAUSE)
  stand.deliverer.start()
  await stand.grant(1)
  await receiver.until(({ length }) => length === 3)
  const times = receiver.received.map(({ headers }) => headers.get('webhook-timestamp'))
  expect(new Set(times).size).toBeGreaterThan(1)
  await stand.close()
  await receiver.stop()
}, 20_000)
