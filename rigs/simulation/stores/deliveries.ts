/**
 * Deliveries of webhooks in memory, as in Redis: endpoints are leased to one of several holders, by the clock of the
 * store if it is given one, and all data may be lost at any time.
 *
 * @module
 */
import type { WebhookId } from '../../../src/domain/ids.ts'
import type { Position } from '../../../src/log/event-log.ts'
import {
  type Cursor,
  type DeliveryQuery,
  type DeliveryStore,
  KEPT_TESTS,
  type LeaseAnswer,
  type WebhookDelivery,
  type WebhookTest,
} from '../../../src/webhooks/deliveries/delivery-store.ts'
import type { EndpointHealth } from '../../../src/webhooks/endpoints/record.ts'
import { EndpointDeliveries } from './endpoint-deliveries.ts'

const SWEPT_AT_ONCE = 1000
const NO_HEALTH: EndpointHealth = { failingSince: null, lastSuccessAt: null }

type Lease = { readonly holder: string; readonly until: number }
type Endpoint = {
  lease?: Lease | undefined
  cursor?: Cursor
  health: EndpointHealth
  readonly deliveries: EndpointDeliveries
  tests: readonly WebhookTest[]
}

/** The state of an endpoint, with its deliveries in the order of their positions. */
export type DumpedEndpoint = {
  readonly cursor: Cursor | null
  readonly lease: Lease | null
  readonly health: EndpointHealth
  readonly deliveries: readonly WebhookDelivery[]
}

export type MemoryDeliveryStoreOptions = {
  /** The clock of the store that ends leases, milliseconds since 1970. Default: the clock of the caller. */
  readonly now?: () => number
}

export class MemoryDeliveryStore implements DeliveryStore {
  private readonly endpoints = new Map<WebhookId, Endpoint>()

  constructor(private readonly options: MemoryDeliveryStoreOptions = {}) {}

  async lease(webhooks: readonly WebhookId[], holder: string, forMs: number, callersNow: number) {
    const now = this.options.now?.() ?? callersNow
    const mine = new Map<WebhookId, LeaseAnswer>()
    for (const webhook of webhooks) {
      const endpoint = this.at(webhook)
      if (endpoint.lease && endpoint.lease.holder !== holder && endpoint.lease.until > now) continue
      mine.set(webhook, endpoint.lease?.holder === holder ? 'renewed' : 'acquired')
      endpoint.lease = { holder, until: now + forMs }
    }
    return mine
  }

  async release(webhooks: readonly WebhookId[], holder: string): Promise<void> {
    for (const webhook of webhooks) {
      const endpoint = this.endpoints.get(webhook)
      if (endpoint?.lease?.holder === holder) endpoint.lease = undefined
    }
  }

  async cursor(webhook: WebhookId): Promise<Cursor | undefined> {
    return this.endpoints.get(webhook)?.cursor
  }

  async queue(
    webhook: WebhookId,
    deliveries: readonly WebhookDelivery[],
    cursor: Cursor,
    from?: Position | null,
  ): Promise<boolean> {
    const endpoint = this.at(webhook)
    const before = endpoint.cursor?.logId === cursor.logId ? endpoint.cursor.position : null
    if (from !== undefined && from !== before) return false
    for (const each of deliveries) if (!endpoint.deliveries.has(each.eventId)) endpoint.deliveries.put(each)
    endpoint.cursor = { ...cursor }
    return true
  }

  async put(deliveries: readonly WebhookDelivery[], queuedAt?: number): Promise<boolean> {
    const isReplayed = ({ webhookId, eventId }: WebhookDelivery) => {
      const there = this.endpoints.get(webhookId)?.deliveries.find(eventId)
      return queuedAt !== undefined && there !== undefined && there.queuedAt !== queuedAt
    }
    if (deliveries.some(isReplayed)) return false
    for (const each of deliveries) this.at(each.webhookId).deliveries.put(each)
    return true
  }

  async find(webhook: WebhookId, eventId: string): Promise<WebhookDelivery | undefined> {
    return this.endpoints.get(webhook)?.deliveries.find(eventId)
  }

  async due(
    webhook: WebhookId,
    now: number,
    limit: number,
    onlyOnce = false,
  ): Promise<readonly WebhookDelivery[]> {
    return this.endpoints.get(webhook)?.deliveries.due(now, limit, onlyOnce) ?? []
  }

  async dueWebhooks(now: number): Promise<readonly WebhookId[]> {
    return [...this.endpoints].flatMap(([id, { deliveries }]) => (deliveries.hasDue(now) ? [id] : []))
  }

  async earliestPending(webhook: WebhookId): Promise<WebhookDelivery | undefined> {
    return this.endpoints.get(webhook)?.deliveries.earliestPending()
  }

  async list(webhook: WebhookId, query: DeliveryQuery): Promise<readonly WebhookDelivery[]> {
    return this.endpoints.get(webhook)?.deliveries.list(query) ?? []
  }

  async tested(webhook: WebhookId, test: WebhookTest): Promise<void> {
    const endpoint = this.at(webhook)
    endpoint.tests = [structuredClone(test), ...endpoint.tests].slice(0, KEPT_TESTS)
  }

  async tests(webhook: WebhookId): Promise<readonly WebhookTest[]> {
    return structuredClone(this.endpoints.get(webhook)?.tests ?? [])
  }

  async noted(webhook: WebhookId, success: boolean, at: number): Promise<EndpointHealth> {
    const endpoint = this.at(webhook)
    const { failingSince, lastSuccessAt } = endpoint.health
    endpoint.health = success
      ? { failingSince: null, lastSuccessAt: at }
      : { failingSince: failingSince ?? at, lastSuccessAt }
    return endpoint.health
  }

  async forgive(webhook: WebhookId): Promise<void> {
    const endpoint = this.endpoints.get(webhook)
    if (endpoint) endpoint.health = { ...endpoint.health, failingSince: null }
  }

  async health(webhook: WebhookId): Promise<EndpointHealth> {
    return this.endpoints.get(webhook)?.health ?? NO_HEALTH
  }

  async sweep(before: number): Promise<number> {
    const all = [...this.endpoints.values()].flatMap(({ deliveries }) =>
      deliveries.all.map(({ eventId, queuedAt }) => ({ deliveries, eventId, queuedAt })),
    )
    const old = all.filter(({ queuedAt }) => queuedAt < before).sort((a, b) => a.queuedAt - b.queuedAt)
    const swept = old.slice(0, SWEPT_AT_ONCE)
    for (const { deliveries, eventId } of swept) deliveries.delete(eventId)
    return swept.length
  }

  async forget(webhook: WebhookId): Promise<void> {
    this.endpoints.delete(webhook)
  }

  async close(): Promise<void> {}

  /** Loses all data, like an emptied Redis. */
  clear(): void {
    this.endpoints.clear()
  }

  dump(): Record<WebhookId, DumpedEndpoint> {
    const dumped: Record<WebhookId, DumpedEndpoint> = {}
    for (const [id, { cursor, lease, health, deliveries }] of this.endpoints)
      dumped[id] = { cursor: cursor ?? null, lease: lease ?? null, health, deliveries: deliveries.all }
    return dumped
  }

  private at(webhook: WebhookId): Endpoint {
    const there = this.endpoints.get(webhook)
    if (there) return there
    const endpoint: Endpoint = { health: NO_HEALTH, deliveries: new EndpointDeliveries(), tests: [] }
    this.endpoints.set(webhook, endpoint)
    return endpoint
  }
}
