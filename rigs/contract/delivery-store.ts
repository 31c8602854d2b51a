/** The contract of delivery stores. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { StreamName, WebhookId } from '../../src/domain/ids.ts'
import type { Position } from '../../src/log/event-log.ts'
import {
  type DeliveryStore,
  KEPT_TESTS,
  type WebhookDelivery,
  type WebhookTest,
} from '../../src/webhooks/deliveries/delivery-store.ts'

export type OpenedDeliveries = {
  readonly store: DeliveryStore
  /** Opens the store as another process would, after this one has ended. */
  reopen(): Promise<DeliveryStore>
  close(): Promise<void>
}

const A = 'whk_a' as WebhookId
const B = 'whk_b' as WebhookId
const cursor = (position: number) => ({ logId: 'log', position: position as Position })
export const delivery = (n: number, more: Partial<WebhookDelivery> = {}): WebhookDelivery => ({
  ...{
    webhookId: A,
    eventId: `event-${n}`,
    position: n as Position,
    stream: `run-${n}` as StreamName,
    revision: n,
  },
  ...{
    type: 'RunSucceeded',
    state: 'pending',
    attempts: [],
    attemptsSinceQueued: 0,
    nextAt: 1000 + n,
    once: false,
    queuedAt: n,
  },
  ...more,
})
const attempt = {
  at: '2026-01-01T00:00:00.000Z',
  status: 500,
  duration_ms: 3,
  error: 'no "good"',
  response: 'ü',
}
export const webhookTest = (n: number): WebhookTest => {
  const time = new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString()
  return { eventId: `test-${n}`, time, attempt: { ...attempt, at: time } }
}
/** Every call of the port that can fail, independent of the stored data. */
export const CALLS: Readonly<Record<string, (store: DeliveryStore) => Promise<unknown>>> = {
  cursor: (store) => store.cursor(A),
  queue: (store) => store.queue(A, [delivery(1)], cursor(1)),
  put: (store) => store.put([delivery(1)]),
  find: (store) => store.find(A, 'event-1'),
  due: (store) => store.due(A, 1, 1),
  'due of one try': (store) => store.due(A, 1, 1, true),
  dueWebhooks: (store) => store.dueWebhooks(1),
  earliestPending: (store) => store.earliestPending(A),
  list: (store) => store.list(A, { limit: 1 }),
  'list of a state': (store) => store.list(A, { limit: 1, state: 'failed' }),
  tested: (store) => store.tested(A, webhookTest(1)),
  tests: (store) => store.tests(A),
  noted: (store) => store.noted(A, true, 1),
  forgive: (store) => store.forgive(A),
  health: (store) => store.health(A),
  sweep: (store) => store.sweep(1),
  forget: (store) => store.forget(A),
}
const numbers = (deliveries: readonly WebhookDelivery[]) =>
  deliveries.map(({ position }) => position as number)

/** @param isShared by several processes */
export function deliveryStoreContract(
  name: string,
  isShared: boolean,
  open: () => Promise<OpenedDeliveries>,
): void {
  describe(`${name}: deliveries`, () => {
    let opened: OpenedDeliveries
    let store: DeliveryStore
    beforeEach(async () => {
      opened = await open()
      store = opened.store
    })
    afterEach(() => opened.close())

    test('queue stores deliveries together with the cursor, and each event once', async () => {
      expect(await store.cursor(A)).toBeUndefined()
      await store.queue(A, [delivery(1), delivery(2)], cursor(2))
      await store.put([
        delivery(1, { state: 'delivered', nextAt: null, attempts: [attempt], attemptsSinceQueued: 1 }),
      ])
      await store.queue(A, [delivery(1), delivery(2), delivery(3)], cursor(3))
      expect(await store.cursor(A)).toEqual(cursor(3))
      expect(numbers(await store.list(A, { limit: 9 }))).toEqual([3, 2, 1])
      expect(await store.find(A, 'event-1')).toEqual(
        delivery(1, { state: 'delivered', nextAt: null, attempts: [attempt], attemptsSinceQueued: 1 }),
      )
      expect(await store.find(A, 'event-9')).toBeUndefined()
      expect(await store.find(B, 'event-1')).toBeUndefined()
      await store.queue(A, [], cursor(7))
      expect(await store.cursor(A)).toEqual(cursor(7))
      expect(await store.cursor(B)).toBeUndefined()
    })

    test('queue with an expected cursor writes only when the cursor matches', async () => {
      expect(await store.queue(A, [delivery(1)], cursor(1), 7 as Position)).toBe(false)
      expect(await store.queue(A, [delivery(1)], cursor(1), null)).toBe(true)
      expect(await store.queue(A, [delivery(2)], cursor(2), null)).toBe(false)
      expect(await store.queue(A, [delivery(3)], cursor(3), 1 as Position)).toBe(true)
      expect(await store.queue(A, [delivery(2)], cursor(2), 1 as Position)).toBe(false)
      expect(await store.cursor(A)).toEqual(cursor(3))
      expect(numbers(await store.list(A, { limit: 9 }))).toEqual([3, 1])
      // Positions of another log do not count here.
      expect(await store.queue(A, [], { logId: 'other', position: 9 as Position }, 3 as Position)).toBe(false)
      expect(await store.queue(A, [], { logId: 'other', position: 9 as Position }, null)).toBe(true)
      expect(await store.queue(A, [], { logId: 'other', position: 10 as Position })).toBe(true)
    })

    test('concurrent queue calls store each delivery once', async () => {
      const all = [1, 2, 3].map((n) => delivery(n))
      await Promise.all([1, 2, 3, 4].map(() => store.queue(A, all, cursor(3))))
      expect(numbers(await store.list(A, { limit: 99 }))).toEqual([3, 2, 1])
      expect(numbers(await store.due(A, 9000, 99))).toEqual([1, 2, 3])
    })

    test('deliveries, cursor and health of an endpoint survive a reopen', async () => {
      const delivered = delivery(1, {
        state: 'delivered',
        nextAt: null,
        attempts: [attempt, attempt],
        attemptsSinceQueued: 2,
      })
      await store.queue(A, [delivery(1), delivery(2)], cursor(2))
      await store.put([delivered, delivery(3, { once: true })])
      await store.noted(A, true, 8)
      await store.noted(A, false, 9)
      const again = await opened.reopen()
      expect(await again.cursor(A)).toEqual(cursor(2))
      expect(await again.list(A, { limit: 9 })).toEqual([delivery(3, { once: true }), delivery(2), delivered])
      expect(numbers(await again.due(A, 9000, 9))).toEqual([2, 3])
      expect(numbers(await again.due(A, 9000, 9, true))).toEqual([3])
      expect(await again.dueWebhooks(1002)).toEqual([A])
      expect(await again.earliestPending(A)).toEqual(delivery(2))
      expect(await again.health(A)).toEqual({ failingSince: 9, lastSuccessAt: 8 })
      await again.queue(A, [delivery(1), delivery(4)], cursor(4))
      expect(numbers(await again.list(A, { limit: 9 }))).toEqual([4, 3, 2, 1])
      expect(await again.find(A, 'event-1')).toEqual(delivered)
      expect(await again.sweep(2)).toBe(1)
    })

    test('put leaves the cursor where it is', async () => {
      await store.put([delivery(9)])
      expect(await store.cursor(A)).toBeUndefined()
      await store.queue(A, [], cursor(4))
      await store.put([delivery(9, { state: 'failed', nextAt: null })])
      expect(await store.cursor(A)).toEqual(cursor(4))
    })

    test('deliveries keep any text and the largest positions', async () => {
      const position = (Number.MAX_SAFE_INTEGER - 1) as Position
      const odd = { ...attempt, response: '\u0000\uFFFD "\\\n\u2028 😀', error: null, status: null }
      const large = delivery(1, { position, attempts: [odd] })
      await store.queue(A, [large], { logId: 'log', position })
      expect(await store.find(A, 'event-1')).toEqual(large)
      expect(await store.list(A, { limit: 1 })).toEqual([large])
      expect(await store.list(A, { limit: 1, before: position })).toEqual([])
      expect((await store.cursor(A))?.position).toBe(position)
    })

    test('due returns deliveries whose time has come, earliest first, up to the limit', async () => {
      await store.queue(A, [delivery(3), delivery(1), delivery(2)], cursor(3))
      expect(numbers(await store.due(A, 1000, 9))).toEqual([])
      expect(numbers(await store.due(A, 1002, 9))).toEqual([1, 2])
      expect(numbers(await store.due(A, 1009, 2))).toEqual([1, 2])
      await store.put([
        delivery(1, { nextAt: 5000, attemptsSinceQueued: 1 }),
        delivery(2, { state: 'failed', nextAt: null }),
      ])
      expect(numbers(await store.due(A, 6000, 9))).toEqual([3, 1])
    })

    test('due can return only the deliveries with a single try', async () => {
      await store.queue(A, [delivery(1), delivery(2)], cursor(2))
      await store.put([delivery(2, { once: true })])
      expect(await store.due(A, 9000, 9, true)).toEqual([delivery(2, { once: true })])
      await store.put([delivery(2)])
      expect(await store.due(A, 9000, 9, true)).toEqual([])
    })

    test('dueWebhooks lists the endpoints that have due deliveries', async () => {
      await store.queue(A, [delivery(1), delivery(5)], cursor(5))
      await store.queue(B, [delivery(9, { webhookId: B })], cursor(9))
      expect(await store.dueWebhooks(1000)).toEqual([])
      expect(await store.dueWebhooks(1001)).toEqual([A])
      expect([...(await store.dueWebhooks(1009))].sort()).toEqual([A, B])
      await store.put([delivery(1, { state: 'delivered', nextAt: null })])
      expect(await store.dueWebhooks(1004)).toEqual([])
      expect(await store.dueWebhooks(1005)).toEqual([A])
      // A replay for an endpoint that never had a queued delivery.
      const C = 'whk_c' as WebhookId
      await store.put([delivery(1, { webhookId: C })])
      expect([...(await store.dueWebhooks(1001))]).toEqual([C])
    })

    test('list returns deliveries by position, latest first, page by page and by state', async () => {
      const all = [1, 2, 3, 4, 5].map((n) => delivery(n))
      await store.queue(A, all, cursor(5))
      await store.put([2, 4].map((n) => delivery(n, { state: 'failed', nextAt: null })))
      await store.put([delivery(5, { state: 'delivered', nextAt: null })])
      expect(numbers(await store.list(A, { limit: 2 }))).toEqual([5, 4])
      expect(numbers(await store.list(A, { limit: 2, before: 4 as Position }))).toEqual([3, 2])
      expect(numbers(await store.list(A, { limit: 9, state: 'failed' }))).toEqual([4, 2])
      expect(numbers(await store.list(A, { limit: 9, state: 'failed', before: 4 as Position }))).toEqual([2])
      expect(numbers(await store.list(A, { limit: 9, state: 'pending' }))).toEqual([3, 1])
      expect(await store.list(B, { limit: 9 })).toEqual([])
    })

    test('list shows each delivery on exactly one page, for any page size', async () => {
      const all = Array.from({ length: 40 }, (_, i) => delivery(i + 1))
      await store.queue(A, all, cursor(40))
      await store.queue(B, [delivery(41, { webhookId: B })], cursor(41))
      for (const limit of [1, 7, 40, 41]) {
        const revisions: number[] = []
        for (let before: Position | undefined; ; ) {
          const page = await store.list(A, { limit, before })
          revisions.push(...numbers(page))
          if (page.length < limit) break
          before = page.at(-1)!.position
        }
        expect(revisions).toEqual(numbers(all).reverse())
      }
    })

    test('earliestPending returns the pending delivery with the lowest position', async () => {
      expect(await store.earliestPending(A)).toBeUndefined()
      await store.queue(A, [delivery(1), delivery(2, { nextAt: 1 }), delivery(3)], cursor(3))
      expect(await store.earliestPending(A)).toEqual(delivery(1))
      await store.put([delivery(1, { state: 'delivered', nextAt: null })])
      expect((await store.earliestPending(A))?.eventId).toBe('event-2')
    })

    test('the latest tests of an endpoint are kept, apart from its deliveries', async () => {
      const all = Array.from({ length: KEPT_TESTS + 2 }, (_, i) => webhookTest(i))
      for (const each of all) await store.tested(A, each)
      await store.tested(B, webhookTest(1))
      const again = await opened.reopen()
      expect(await again.tests(A)).toEqual(all.slice(2).reverse())
      expect(await again.list(A, { limit: 9 })).toEqual([])
      await again.forget(A)
      expect([await again.tests(A), await again.tests(B)]).toEqual([[], [webhookTest(1)]])
    })

    test('sweep deletes deliveries queued before a time, pending or not', async () => {
      await store.queue(A, [delivery(1), delivery(2), delivery(3), delivery(4)], cursor(4))
      await store.put([1, 2, 4].map((n) => delivery(n, { state: 'delivered', nextAt: null })))
      // A replay: its retention starts again.
      await store.put([delivery(2, { queuedAt: 50, once: true })])
      expect(await store.sweep(4)).toBe(2)
      expect(numbers(await store.list(A, { limit: 9 }))).toEqual([4, 2])
      expect(numbers(await store.list(A, { limit: 9, state: 'delivered' }))).toEqual([4])
      expect(numbers(await store.list(A, { limit: 9, state: 'pending' }))).toEqual([2])
      expect(numbers(await store.due(A, 9000, 9))).toEqual([2])
      expect(await store.find(A, 'event-3')).toBeUndefined()
      expect(await store.sweep(4)).toBe(0)
      expect(await store.sweep(51)).toBe(2)
      expect(await store.dueWebhooks(9000)).toEqual([])
      expect(await store.earliestPending(A)).toBeUndefined()
      // The cursor is not deleted with them.
      expect(await store.cursor(A)).toEqual(cursor(4))
    })

    test('put with an expected time of queueing writes unless the delivery was queued at another time', async () => {
      const replayed = delivery(1, { queuedAt: 1_700_000_000_001 })
      const tried = delivery(1, { queuedAt: 1_700_000_000_000, state: 'delivered', nextAt: null })
      expect(await store.put([tried], 1_700_000_000_000)).toBe(true)
      expect(await store.put([replayed])).toBe(true)
      expect(await store.put([tried], 1_700_000_000_000)).toBe(false)
      expect(await store.find(A, 'event-1')).toEqual(replayed)
      expect(numbers(await store.due(A, 9000, 9))).toEqual([1])
      expect(await store.put([{ ...replayed, state: 'failed', nextAt: null }], replayed.queuedAt)).toBe(true)
      expect(await store.due(A, 9000, 9)).toEqual([])
    })

    test('sweep deletes at most 1000 deliveries at once', async () => {
      const many = Array.from({ length: 2500 }, (_, i) => delivery(i, { state: 'failed', nextAt: null }))
      for (let i = 0; i < many.length; i += 500) await store.queue(A, many.slice(i, i + 500), cursor(i + 499))
      await store.put(many)
      expect(await store.sweep(10_000)).toBe(1000)
      expect(await store.sweep(10_000)).toBe(1000)
      expect(await store.sweep(10_000)).toBe(500)
      expect(await store.list(A, { limit: 9 })).toEqual([])
    })

    test('forget deletes all data of one endpoint and none of others', async () => {
      await store.queue(A, [delivery(1), delivery(2, { state: 'failed', nextAt: null })], cursor(2))
      await store.queue(B, [delivery(1, { webhookId: B })], cursor(1))
      await store.noted(A, true, 5)
      await store.forget(A)
      expect(await store.list(A, { limit: 9 })).toEqual([])
      expect(await store.cursor(A)).toBeUndefined()
      expect(await store.health(A)).toEqual({ failingSince: null, lastSuccessAt: null })
      expect(await store.dueWebhooks(9000)).toEqual([B])
      expect(await store.list(B, { limit: 9 })).toHaveLength(1)
      expect(await store.sweep(9000)).toBe(1)
    })
  })

  describe(`${name}: endpoints`, () => {
    let opened: OpenedDeliveries
    let store: DeliveryStore
    beforeEach(async () => {
      opened = await open()
      store = opened.store
    })
    afterEach(() => opened.close())

    test('an endpoint is failing since its first failed try after a success', async () => {
      expect(await store.health(A)).toEqual({ failingSince: null, lastSuccessAt: null })
      expect(await store.noted(A, false, 10)).toEqual({ failingSince: 10, lastSuccessAt: null })
      expect(await store.noted(A, false, 20)).toEqual({ failingSince: 10, lastSuccessAt: null })
      expect(await store.noted(A, true, 30)).toEqual({ failingSince: null, lastSuccessAt: 30 })
      expect(await store.noted(A, false, 40)).toEqual({ failingSince: 40, lastSuccessAt: 30 })
      expect(await store.health(A)).toEqual({ failingSince: 40, lastSuccessAt: 30 })
      expect(await store.health(B)).toEqual({ failingSince: null, lastSuccessAt: null })
    })

    test('forgive forgets since when an endpoint fails, and nothing else', async () => {
      await store.noted(A, true, 10)
      await store.noted(A, false, 20)
      await store.noted(B, false, 20)
      await store.forgive(A)
      expect(await store.health(A)).toEqual({ failingSince: null, lastSuccessAt: 10 })
      expect(await store.health(B)).toEqual({ failingSince: 20, lastSuccessAt: null })
      expect(await store.noted(A, false, 30)).toEqual({ failingSince: 30, lastSuccessAt: 10 })
    })
  })

  if (!isShared) return
  describe(`${name}: leases of endpoints`, () => {
    let opened: OpenedDeliveries
    let store: DeliveryStore
    beforeEach(async () => {
      opened = await open()
      store = opened.store
    })
    afterEach(() => opened.close())

    test('a lease says whether it was acquired or renewed', async () => {
      expect([...(await store.lease([A], 'one', 100, 0))]).toEqual([[A, 'acquired']])
      expect([...(await store.lease([A, B], 'one', 100, 50))]).toEqual([
        [A, 'renewed'],
        [B, 'acquired'],
      ])
      // forget also deletes the lease, so the holder acquires it again.
      await store.forget(A)
      expect([...(await store.lease([A], 'one', 100, 60))]).toEqual([[A, 'acquired']])
    })

    test('a lease belongs to one holder until it expires, and the holder can renew it', async () => {
      expect([...(await store.lease([A, B], 'one', 100, 0)).keys()].sort()).toEqual([A, B])
      expect([...(await store.lease([A], 'two', 100, 50)).keys()]).toEqual([])
      expect([...(await store.lease([A], 'one', 100, 60)).keys()]).toEqual([A])
      expect([...(await store.lease([A, B], 'two', 100, 110)).keys()]).toEqual([B])
      expect([...(await store.lease([A, B], 'one', 100, 120)).keys()]).toEqual([A])
      expect([...(await store.lease([A], 'two', 100, 220)).keys()]).toEqual([A])
      expect([...(await store.lease([], 'two', 100, 220)).keys()]).toEqual([])
    })

    test('only the holder can release a lease', async () => {
      await store.lease([A, B], 'one', 100, 0)
      await store.release([A, B], 'two')
      expect([...(await store.lease([A, B], 'two', 100, 1)).keys()]).toEqual([])
      await store.release([A], 'one')
      expect([...(await store.lease([A, B], 'two', 100, 1)).keys()]).toEqual([A])
    })

    test('concurrent lease calls give each endpoint to one holder', async () => {
      const ids = Array.from({ length: 20 }, (_, i) => `whk_${i}` as WebhookId)
      const answers = await Promise.all(['a', 'b', 'c'].map((holder) => store.lease(ids, holder, 100, 0)))
      expect(answers.flatMap((mine) => [...mine.keys()]).sort()).toEqual([...ids].sort())
    })
  })
}
