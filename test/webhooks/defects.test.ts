/** What fails inside the service, not at the endpoint: the process goes on, and the endpoint can be repaired. */
import { expect, test } from 'bun:test'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import type { WebhookId } from '../../src/domain/ids.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import type { Stores } from '../../src/stores.ts'
import { VaultDamaged } from '../../src/vault/sealing.ts'
import { startReceiver } from './receiver.ts'
import { A, CAUSE, openStand, type Stand } from './stand.ts'

const TYPES = { types: ['CreditsGranted'] }
/** Enough calls to show a loop without waits, which no timer could end. */
const MOST_CALLS = 100

/** An endpoint whose secrets cannot be loaded from its next event on. */
async function withFailingVault(failure: () => Error) {
  const fails = { is: false, calls: 0 }
  const receiver = startReceiver()
  const stand = await openStand(temporaryFolder(), ({ vault }): Partial<Stores> => {
    const loadRecord: typeof vault.loadRecord = async (...args) => {
      if (!fails.is) return vault.loadRecord(...args)
      throw ++fails.calls < MOST_CALLS ? failure() : new StoreUnavailable('it was asked too often')
    }
    return { vault: Object.assign(Object.create(vault), { loadRecord }) }
  })
  await stand.open()
  const { record } = await stand.webhooks.create(A, { url: receiver.url, ...TYPES }, CAUSE)
  fails.is = true
  stand.deliverer.start()
  await stand.grant(1)
  const stop = async () => {
    await stand.close()
    await receiver.stop()
  }
  return { fails, receiver, stand, id: record.webhook_id as WebhookId, stop }
}

async function ended(stand: Stand, id: WebhookId) {
  for (;;) {
    const [delivery] = await stand.stores.deliveries.list(id, { limit: 1 })
    if (delivery && delivery.state !== 'pending') return delivery
    await Bun.sleep(5)
  }
}

test('damaged secrets are lost secrets: attempts fail, and the endpoint is listed and takes a new URL', async () => {
  const { fails, receiver, stand, id, stop } = await withFailingVault(() => new VaultDamaged('damaged'))
  const { attempts, state } = await ended(stand, id)
  expect(state).toBe('failed')
  expect(attempts.map(({ error }) => error)).toEqual(
    Array.from({ length: 4 }, () => expect.stringContaining('The vault has lost the URL and the secret.')),
  )
  expect((await stand.webhooks.list(A)).map(({ url }) => url)).toEqual([
    `https://${new URL(receiver.url).host}/`,
  ])
  await stand.webhooks.change(A, id, { url: receiver.url }, CAUSE)
  fails.is = false
  expect((await stand.webhooks.get(A, id))?.url).toBe(receiver.url)
  await stop()
}, 20_000)

test('an unexpected error in an attempt is a failed attempt that reveals nothing', async () => {
  const { stand, id, stop } = await withFailingVault(() => new TypeError('a defect'))
  const { attempts, state } = await ended(stand, id)
  expect({ state, errors: attempts.map(({ error }) => error) }).toEqual({
    state: 'failed',
    errors: Array.from({ length: 4 }, () => 'The service could not make the attempt.'),
  })
  await stop()
}, 20_000)

test('a delivery whose result cannot be recorded because of a defect is not sent again at once', async () => {
  const times: number[] = []
  const receiver = startReceiver(() => {
    times.push(performance.now())
    return 204
  })
  let puts = 0
  const stand = await openStand(temporaryFolder(), ({ deliveries }) => ({
    deliveries: {
      ...deliveries,
      async put(...args) {
        if (++puts === 1) throw new TypeError('a defect')
        return deliveries.put(...args)
      },
    },
  }))
  await stand.open()
  const { record } = await stand.webhooks.create(A, { url: receiver.url, ...TYPES }, CAUSE)
  stand.deliverer.start()
  await stand.grant(1)
  await ended(stand, record.webhook_id as WebhookId)
  expect(times).toHaveLength(2)
  expect(times[1]! - times[0]!).toBeGreaterThan(100)
  await stand.close()
  await receiver.stop()
}, 20_000)
