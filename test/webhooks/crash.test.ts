/** The crash table of docs/internals.md: the process dies right after each write, and the stated outcome holds. */
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Died, dying, type Life } from '../../rigs/support/dying.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { nextTurn } from '../../src/async/delay.ts'
import { accountStream, type WebhookId, webhookStream } from '../../src/domain/ids.ts'
import { type Webhook, webhookDecider } from '../../src/domain/webhook.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { load } from '../../src/log/execute.ts'
import type { Stores } from '../../src/stores.ts'
import { queued } from '../../src/webhooks/deliveries/schedule.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { A, CAUSE, openStand, type Stand } from './stand.ts'

const WRITES = new Set(['append', 'saveRecord', 'removeRecord', 'queue', 'put', 'noted', 'forget'])
const TYPES = { types: ['CreditsGranted'] }

/** The amounts of the events that the receiver got. */
const amountsOf = ({ received }: Receiver) => received.map(({ event }) => event.data.amount as number)
const sorted = (numbers: readonly number[]) => [...new Set(numbers)].sort((a, b) => a - b)
const isUnfinished = (receiver: Receiver, amounts: readonly number[]) =>
  !amounts.every((n) => amountsOf(receiver).includes(n))
const mine = async (stand: Stand) => (await stand.webhooks.list(A))[0]

const stateOf = async ({ stores }: Stand, id: string) =>
  (await load(stores.log, webhookStream(id as WebhookId), webhookDecider)).state as Webhook

async function refsIn({ stores, clock }: Stand): Promise<readonly string[]> {
  return (await stores.vault.records('acc_', Date.now() + clock.offset + 1000)).map(({ name }) => name)
}

/** Kills a process after each of its writes in turn and judges the stores as another process finds them. */
async function dieEverywhere<T>(
  prepare: (stand: Stand, receiver: Receiver) => Promise<T>,
  act: (stand: Stand, receiver: Receiver, setup: T) => Promise<unknown>,
  judge: (stand: Stand, receiver: Receiver, hasDied: boolean) => Promise<void>,
): Promise<number> {
  for (let writes = 1; ; writes++) {
    const receiver = startReceiver()
    const folder = temporaryFolder()
    const before = await openStand(folder)
    await before.open()
    const setup = await prepare(before, receiver)
    await before.close()
    const death = Promise.withResolvers<void>()
    const life: Life = { writes: Number.POSITIVE_INFINITY, onDeath: death.resolve }
    const mortal = await openStand(folder, (stores) => dying(stores, life, ['vault', 'deliveries'], WRITES))
    life.writes = writes
    const done = act(mortal, receiver, setup).then(
      () => false,
      (error) => {
        if (!(error instanceof Died)) throw error
        return true
      },
    )
    const hasDied = await Promise.race([done, death.promise.then(() => true)])
    life.writes = 0
    await mortal.close()
    const after = await openStand(folder)
    try {
      await judge(after, receiver, hasDied)
    } finally {
      await after.close()
      await receiver.stop()
    }
    if (!hasDied) return writes
  }
}

/** An hour later the vault holds the endpoint's record and nothing else. */
async function leavesOneRecord(stand: Stand): Promise<void> {
  stand.clock.offset += 3_700_000
  await stand.webhooks.sweep()
  const { webhook_id } = (await mine(stand))!
  const { secretsRef } = await stateOf(stand, webhook_id)
  expect(await refsIn(stand)).toEqual([secretsRef])
}

describe('when the process dies right after a write', () => {
  test('of creating an endpoint, the endpoint gets events, or nothing of it is left', async () => {
    const steps = await dieEverywhere(
      async () => {},
      (stand, { url }) => stand.webhooks.create(A, { url, ...TYPES }, CAUSE),
      async (stand, receiver, hasDied) => {
        const endpoint = await mine(stand)
        expect(endpoint !== undefined || hasDied).toBe(true)
        if (endpoint) {
          stand.deliverer.start()
          await stand.grant(1)
          await receiver.until(() => !isUnfinished(receiver, [1]))
          return leavesOneRecord(stand)
        }
        stand.clock.offset += 3_700_000
        await stand.webhooks.sweep()
        expect(await refsIn(stand)).toEqual([])
      },
    )
    expect(steps).toBe(3)
  }, 60_000)

  test('of delivering, every event and the next one are delivered, and a recorded delivery is not repeated', async () => {
    const steps = await dieEverywhere(
      async (stand, { url }) => {
        await stand.webhooks.create(A, { url, ...TYPES }, CAUSE)
        for (const amount of [1, 2, 3]) await stand.grant(amount)
      },
      async (stand, receiver) => {
        stand.deliverer.start()
        await receiver.until(() => !isUnfinished(receiver, [1, 2, 3]))
        await allDelivered(stand, 3)
        // Completes after all earlier writes, which can be read a moment before they are complete.
        await stand.stores.deliveries.sweep(0)
      },
      async (stand, receiver) => {
        const noted = (await deliveriesOf(stand)).filter(({ state }) => state === 'delivered')
        const ids = noted.map(({ eventId }) => eventId)
        const before = receiver.received.length
        stand.deliverer.start()
        await stand.grant(4)
        await receiver.until(() => !isUnfinished(receiver, [1, 2, 3, 4]))
        await allDelivered(stand, 4)
        expect(sorted(amountsOf(receiver))).toEqual([1, 2, 3, 4])
        for (const { event } of receiver.received.slice(before)) expect(ids).not.toContain(event.id)
      },
    )
    // One write queues, and each delivery takes two.
    expect(steps).toBeGreaterThanOrEqual(8)
  }, 60_000)

  test('of changing the URL, the endpoint has the old or the new one, and the vault holds one record', async () => {
    await dieEverywhere(
      async (stand, { url }) => (await stand.webhooks.create(A, { url, ...TYPES }, CAUSE)).record.webhook_id,
      (stand, { url }, id) => stand.webhooks.change(A, id as WebhookId, { url: `${url}?new` }, CAUSE),
      async (stand, receiver, hasDied) => {
        const { url } = (await mine(stand))!
        expect(url === `${receiver.url}?new` || (hasDied && url === receiver.url)).toBe(true)
        await leavesOneRecord(stand)
      },
    )
  }, 60_000)

  test('of deleting an endpoint, it still exists, or nothing is delivered and nothing of it is left', async () => {
    let webhook: WebhookId
    await dieEverywhere(
      async (stand, { url }) => {
        webhook = (await stand.webhooks.create(A, { url, ...TYPES }, CAUSE)).record.webhook_id as WebhookId
        const [created] = await stand.stores.log.readStream(webhookStream(webhook), 0, 1)
        await stand.stores.deliveries.put([queued(webhook, created!, 1)])
      },
      (stand) => stand.webhooks.remove(A, webhook, CAUSE),
      async (stand, receiver, hasDied) => {
        const endpoint = await mine(stand)
        if (endpoint) {
          expect(hasDied).toBe(true)
          return
        }
        stand.deliverer.start()
        const { deliveries } = stand.stores
        while ((await deliveries.list(webhook, { limit: 1 })).length > 0) await nextTurn()
        expect(await deliveries.dueWebhooks(Number.MAX_SAFE_INTEGER)).toEqual([])
        expect(receiver.received).toEqual([])
        stand.clock.offset += 3_700_000
        await stand.webhooks.sweep()
        expect(await refsIn(stand)).toEqual([])
      },
    )
  }, 60_000)
})

describe('when the delivery store is lost', () => {
  test('an endpoint continues from its checkpoint: only later events are sent again', async () => {
    const receiver = startReceiver()
    const folder = temporaryFolder()
    const before = await openStand(folder)
    await before.open()
    const { record } = await before.webhooks.create(A, { url: receiver.url, ...TYPES }, CAUSE)
    before.deliverer.start()
    await before.grant(1)
    await allDelivered(before, 1)
    while ((await stateOf(before, record.webhook_id)).checkpoint === null) {
      // The deliverer looks once a second.
      await new Promise((go) => setTimeout(go, 20))
    }
    await before.grant(2)
    await allDelivered(before, 2)
    await before.stores.deliveries.forget(record.webhook_id as WebhookId)
    await before.close()
    const count = receiver.received.length
    const after = await openStand(folder)
    after.deliverer.start()
    await after.grant(3)
    await receiver.until((all) => all.slice(count).some(({ event }) => event.data.amount === 3))
    expect(sorted(amountsOf(receiver).slice(count))).toEqual([2, 3])
    await after.close()
    await receiver.stop()
  }, 20_000)

  test('an endpoint gets the events that it missed while it was disabled, also those before a replayed one', async () => {
    const isHeld = Promise.withResolvers<void>()
    const receiver = startReceiver(async ({ event }) => {
      if (event.data.amount === 4) await isHeld.promise
      return 204
    })
    const folder = temporaryFolder()
    const checked = Promise.withResolvers<void>()
    const stand = await openStand(folder, ({ deliveries }) => ({
      deliveries: {
        ...deliveries,
        async earliestPending(webhook) {
          const pending = await deliveries.earliestPending(webhook)
          if (pending) checked.resolve()
          return pending
        },
      },
    }))
    await stand.open()
    const { record } = await stand.webhooks.create(A, { url: receiver.url, ...TYPES }, CAUSE)
    const id = record.webhook_id as WebhookId
    stand.deliverer.start()
    await stand.grant(1)
    await allDelivered(stand, 1)
    await stand.webhooks.change(A, id, { state: 'disabled' }, CAUSE)
    for (const amount of [2, 3, 4]) await stand.grant(amount)
    const [third, fourth] = (await stand.stores.log.readStream(accountStream(A))).slice(-2)
    await stand.webhooks.replay(A, id, { event_id: third!.id })
    await allDelivered(stand, 2)
    // A checkpoint is due while a replay is pending.
    await stand.webhooks.replay(A, id, { event_id: fourth!.id })
    stand.clock.offset += 61_000
    await checked.promise
    isHeld.resolve()
    await allDelivered(stand, 3)
    await stand.deliverer.stop()
    await stand.stores.deliveries.forget(id)
    await stand.close()
    const count = receiver.received.length
    const after = await openStand(folder)
    after.deliverer.start()
    await after.webhooks.change(A, id, { state: 'enabled' }, CAUSE)
    await receiver.until((all) => all.slice(count).some(({ event }) => event.data.amount === 2))
    await after.close()
    await receiver.stop()
  }, 20_000)
})

test('an event is sent once while the delivery file cannot be written for a time', async () => {
  const receiver = startReceiver()
  const folder = temporaryFolder()
  const file = new DatabaseSync(join(folder, 'webhooks.db'))
  const failed = Promise.withResolvers<void>()
  let failures = 0
  const counting = (stores: Stores): Partial<Stores> => ({
    deliveries: {
      ...stores.deliveries,
      put: (...args) =>
        stores.deliveries.put(...args).catch((error) => {
          if (++failures === 2) failed.resolve()
          throw error
        }),
    },
  })
  const stand = await openStand(folder, counting)
  await stand.open()
  await stand.webhooks.create(A, { url: receiver.url, ...TYPES }, CAUSE)
  file.exec(`CREATE TRIGGER full BEFORE INSERT ON deliveries WHEN new.state = 'delivered'
    BEGIN SELECT raise(FAIL, 'disk'); END`)
  stand.deliverer.start()
  await stand.grant(1)
  await failed.promise
  file.exec('DROP TRIGGER full')
  await allDelivered(stand, 1)
  expect(amountsOf(receiver)).toEqual([1])
  file.close()
  await stand.close()
  await receiver.stop()
}, 20_000)

test('a checkpoint that fails because a store is unavailable is written once the store is back', async () => {
  const receiver = startReceiver()
  let count = 0
  const stand = await openStand(temporaryFolder(), ({ deliveries }) => ({
    deliveries: {
      ...deliveries,
      async earliestPending(webhook) {
        if (++count === 1) throw new StoreUnavailable('it is away')
        return deliveries.earliestPending(webhook)
      },
    },
  }))
  await stand.open()
  const { record } = await stand.webhooks.create(A, { url: receiver.url, ...TYPES }, CAUSE)
  stand.deliverer.start()
  await stand.grant(1)
  await allDelivered(stand, 1)
  while ((await stateOf(stand, record.webhook_id)).checkpoint === null) {
    // The deliverer looks once a second.
    await new Promise((go) => setTimeout(go, 20))
  }
  expect(count).toBe(2)
  await stand.close()
  await receiver.stop()
}, 20_000)

async function deliveriesOf(stand: Stand) {
  const endpoint = await mine(stand)
  return endpoint ? stand.stores.deliveries.list(endpoint.webhook_id as WebhookId, { limit: 50 }) : []
}

/** Resolves when at least `count` deliveries are recorded as delivered. */
async function allDelivered(stand: Stand, count: number): Promise<void> {
  for (;;) {
    const deliveries = await deliveriesOf(stand)
    if (deliveries.filter(({ state }) => state === 'delivered').length >= count) return
    await new Promise((go) => setTimeout(go, 5))
  }
}
