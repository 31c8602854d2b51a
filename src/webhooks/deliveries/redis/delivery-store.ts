/**
 * Deliveries of webhooks, in Redis; see scripts.ts.
 *
 * @module
 */
import type { WebhookId } from '../../../domain/ids.ts'
import type { Position } from '../../../log/event-log.ts'
import type { RedisConnection } from '../../../redis/connection.ts'
import type { RedisScript } from '../../../redis/scripts.ts'
import type { EndpointHealth } from '../../endpoints/record.ts'
import {
  type Cursor,
  type DeliveryStore,
  KEPT_TESTS,
  type LeaseAnswer,
  type WebhookDelivery,
  type WebhookTest,
} from '../delivery-store.ts'
import { KEPT_MS } from '../schedule.ts'
import {
  addTest,
  forgetWebhook,
  leaseWebhooks,
  listDeliveries,
  noteTry,
  putDeliveries,
  releaseWebhooks,
  sweepDeliveries,
} from './scripts.ts'

const BASE = 'gleaner:{webhooks}'
const SWEPT_AT_ONCE = 1000
/** Maximum number of deliveries per script call, so that no script blocks Redis for long. */
const PUT_AT_ONCE = 200

export type RedisDeliveryStoreOptions = {
  /**
   * The clock by which leases expire. `server` by default: with callers' clocks, a machine whose clock is ahead would
   * take over endpoints to which others still deliver. `caller` is for tests.
   */
  readonly clock?: 'server' | 'caller'
}

type Arguments = readonly (string | number)[]

/** Opens the store on a connection, which the caller must close. */
export function openRedisDeliveryStore(
  redis: RedisConnection,
  { clock = 'server' }: RedisDeliveryStoreOptions = {},
): DeliveryStore {
  const run = (script: RedisScript, ...args: Arguments): Promise<unknown> =>
    redis.ask((client) => client.run(script, [BASE, ...args]))
  const deliveries = async (script: RedisScript, ...args: Arguments): Promise<WebhookDelivery[]> => {
    const rows = (await run(script, ...args)) as (string | null)[]
    return rows.flatMap((text) => (text === null ? [] : [JSON.parse(text) as WebhookDelivery]))
  }
  const fields = (webhook: WebhookId, ...names: string[]) =>
    redis.ask((client) => client.hmget(`${BASE}:endpoint:${webhook}`, names))
  return {
    async lease(webhooks, holder, forMs, now) {
      const mine = await run(leaseWebhooks, holder, forMs, clock === 'caller' ? now : '', ...webhooks)
      return new Map(mine as [WebhookId, LeaseAnswer][])
    },
    release: async (webhooks, holder) => void (await run(releaseWebhooks, holder, ...webhooks)),
    async cursor(webhook) {
      const [logId, position] = await fields(webhook, 'log', 'position')
      return logId && position ? ({ logId, position: Number(position) } as Cursor) : undefined
    },
    async queue(webhook, added, { logId, position }, from) {
      const cursor = [logId, position, from === undefined ? '' : (from ?? 'none')]
      return (await run(putDeliveries, webhook, 1, ...cursor, '', ...added.flatMap(argumentsOf))) === 1
    },
    async put(changed, queuedAt) {
      const noCursor = ['', '', '']
      for (const [webhook, all] of Map.groupBy(changed, ({ webhookId }) => webhookId))
        for (let i = 0; i < all.length; i += PUT_AT_ONCE) {
          const some = all.slice(i, i + PUT_AT_ONCE).flatMap(argumentsOf)
          if ((await run(putDeliveries, webhook, 0, ...noCursor, queuedAt ?? '', ...some)) !== 1) return false
        }
      return true
    },
    async find(webhook, eventId) {
      const text = await redis.ask((client) => client.hget(`${BASE}:deliveries:${webhook}`, eventId))
      return text === null ? undefined : (JSON.parse(text) as WebhookDelivery)
    },
    due: (webhook, now, limit, onlyOnce = false) =>
      deliveries(listDeliveries, webhook, onlyOnce ? 'once' : 'due', now, limit, 1),
    dueWebhooks: async (now) =>
      (await redis.ask((client) => client.zrangebyscore(`${BASE}:due`, '-inf', now))) as WebhookId[],
    earliestPending: async (webhook) =>
      (await deliveries(listDeliveries, webhook, 'pending', '+inf', 1, 1))[0],
    list: (webhook, { state, before, limit }) =>
      deliveries(listDeliveries, webhook, state ?? 'all', endOf(before), limit, 0),
    tested: async (webhook, test) =>
      void (await run(addTest, webhook, JSON.stringify(test), KEPT_TESTS, KEPT_MS)),
    async tests(webhook) {
      const all = await redis.ask((client) => client.lrange(`${BASE}:tests:${webhook}`, 0, -1))
      return all.map((text) => JSON.parse(text) as WebhookTest)
    },
    async noted(webhook, success, at) {
      return healthOf((await run(noteTry, webhook, success ? 1 : 0, at)) as (string | null)[])
    },
    async forgive(webhook) {
      await redis.ask((client) => client.hdel(`${BASE}:endpoint:${webhook}`, 'failing'))
    },
    health: async (webhook) => healthOf(await fields(webhook, 'failing', 'success')),
    sweep: async (before) => Number(await run(sweepDeliveries, before, SWEPT_AT_ONCE)),
    forget: async (webhook) => void (await run(forgetWebhook, webhook)),
    close: async () => {},
  }
}

const endOf = (before: Position | undefined): string => (before === undefined ? '+inf' : `(${before}`)

const argumentsOf = (delivery: WebhookDelivery): Arguments => [
  delivery.eventId,
  delivery.position,
  delivery.state,
  delivery.nextAt ?? '',
  delivery.once ? 1 : 0,
  delivery.queuedAt,
  JSON.stringify(delivery),
]

const healthOf = ([failing, success]: readonly (string | null | undefined)[]): EndpointHealth => ({
  failingSince: failing ? Number(failing) : null,
  lastSuccessAt: success ? Number(success) : null,
})
