/**
 * Delivers the events of all accounts to their endpoints. Each endpoint is leased by one process at a time. A process
 * that freezes for longer than its lease may deliver an event that another process has already delivered.
 *
 * @module
 */
import { webhooks as webhooksModel } from '../../../projections/webhooks.ts'
import { Bell } from '../../async/bell.ts'
import { clock } from '../../async/clock.ts'
import { idOf, parseWebhookId, type WebhookId } from '../../domain/ids.ts'
import { isWebhook } from '../../domain/webhook.ts'
import type { Recorded } from '../../log/event-log.ts'
import type { Tail } from '../../log/tail.ts'
import { randomUUID } from '../../random.ts'
import { pagesOf } from '../../read/pages.ts'
import type { ReadModels } from '../../read/read-models.ts'
import type { WaitUntilProjected } from '../../read/wait-until-projected.ts'
import { EndpointDeliverer, type EndpointOptions } from './endpoint-deliverer.ts'

/** An endpoint leased by this process. */
type Owned = {
  readonly endpoint: EndpointDeliverer
  /** of its stream, as known to the endpoint */
  revision: number
}

/** Interval of checks for due attempts, in milliseconds. */
const LOOK_MS = 1000
/** Interval of listing all endpoints again, in case one was missed, in milliseconds. */
const LIST_MS = 60_000

export type DelivererOptions = EndpointOptions & {
  readonly tail: Tail
  readonly readModels: ReadModels
  readonly waitUntilProjected: WaitUntilProjected
  /** how long this process owns an endpoint after each renewal, in seconds */
  readonly leaseS: number
}

export class Deliverer {
  private readonly holder = randomUUID()
  private readonly stopped = new AbortController()
  private readonly owned = new Map<WebhookId, Owned>()
  /** the endpoints that exist, as far as this process knows */
  private known = new Set<WebhookId>()
  private listedAt = Number.NEGATIVE_INFINITY
  private renewedAt = Number.NEGATIVE_INFINITY
  private running: Promise<void> | undefined
  private readonly bell = new Bell()

  constructor(private readonly options: DelivererOptions) {}

  start(): void {
    this.running ??= this.run()
  }

  /** Aborts attempts in progress and releases the leases of the endpoints. */
  async stop(): Promise<void> {
    this.stopped.abort()
    this.bell.ring()
    await this.running
  }

  /** How many endpoints this process delivers to. */
  get size(): number {
    return this.owned.size
  }

  private async run(): Promise<void> {
    const { tail, deliveries, logger } = this.options
    const silence = tail.all((event) => this.hear(event))
    const unhear = tail.onReplaced(() => this.dropAll())
    while (!this.stopped.signal.aborted) {
      try {
        await this.round()
      } catch (err) {
        this.renewedAt = Number.NEGATIVE_INFINITY
        logger.warn({ err }, 'A round of webhook deliveries failed. Retrying within a second.')
      }
      await this.bell.rung(LOOK_MS)
    }
    silence()
    unhear()
    const ids = [...this.owned.keys()]
    this.dropAll()
    if (ids.length > 0)
      await deliveries
        .release(ids, this.holder)
        .catch((err) => logger.warn({ err }, 'Webhook leases could not be released. They will expire.'))
  }

  private async round(): Promise<void> {
    const { deliveries, now } = this.options
    const at = clock.monotonic()
    if (at - this.listedAt >= LIST_MS) {
      const isWhole = await this.options.waitUntilProjected(webhooksModel)
      const all = pagesOf(this.options.readModels, webhooksModel, 'all', { equals: [1], order: 'ascending' })
      for await (const rows of all) for (const { webhook_id } of rows) this.known.add(webhook_id as WebhookId)
      // A deleted endpoint may have deliveries left over by a crash or by an attempt that was in progress.
      for (const id of await deliveries.dueWebhooks(now())) this.known.add(id)
      if (isWhole) this.listedAt = at
    }
    if (this.known.size === 0) return
    if (at - this.renewedAt >= (this.options.leaseS * 1000) / 3) {
      // Set before the renewal, because an endpoint that is created during it requests another one.
      this.renewedAt = at
      await this.renew()
    }
    for (const id of await deliveries.dueWebhooks(now())) this.owned.get(id)?.endpoint.drain()
    for (const { endpoint } of this.owned.values()) void endpoint.checkpoint()
  }

  private async renew(): Promise<void> {
    const { deliveries, leaseS, now } = this.options
    const leases = await deliveries.lease([...this.known], this.holder, leaseS * 1000, now())
    // If another process held the lease in between, or the store was emptied, the endpoint restarts from the store's
    // state.
    for (const id of [...this.owned.keys()]) if (leases.get(id) !== 'renewed') this.drop(id)
    for (const id of leases.keys()) if (!this.owned.has(id)) await this.own(id)
  }

  private async own(id: WebhookId): Promise<void> {
    const { state, revision } = await this.options.streams.load(id)
    if (!isWebhook(state)) {
      this.known.delete(id)
      // This also deletes the lease that was just acquired.
      await this.options.deliveries.forget(id)
      return
    }
    const endpoint = new EndpointDeliverer(state, this.options)
    this.owned.set(id, { endpoint, revision })
    endpoint.update(state)
    // Events heard during the load were not applied to the endpoint.
    await this.reload(id)
  }

  private async reload(id: WebhookId): Promise<void> {
    const { state, revision } = await this.options.streams.load(id)
    const owned = this.owned.get(id)
    if (!owned || revision <= owned.revision) return
    owned.revision = revision
    if (isWebhook(state)) owned.endpoint.update(state)
    else {
      this.drop(id)
      this.known.delete(id)
    }
  }

  private drop(id: WebhookId): void {
    this.owned.get(id)?.endpoint.stop()
    this.owned.delete(id)
  }

  private dropAll(): void {
    for (const id of [...this.owned.keys()]) this.drop(id)
    this.listedAt = Number.NEGATIVE_INFINITY
    this.renewedAt = Number.NEGATIVE_INFINITY
  }

  private hear(event: Recorded): void {
    if (!event.stream.startsWith('webhook-')) return
    const id = parseWebhookId(idOf(event.stream))
    if (!id) return
    if (event.event?.type === 'WebhookCreated') {
      this.known.add(id)
      this.renewedAt = Number.NEGATIVE_INFINITY
      this.bell.ring()
    }
    if (this.owned.has(id)) void this.reload(id).catch(() => this.drop(id))
  }
}
