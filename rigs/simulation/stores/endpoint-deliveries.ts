/**
 * The deliveries of one endpoint, in memory.
 *
 * @module
 */
import type { DeliveryQuery, WebhookDelivery } from '../../../src/webhooks/deliveries/delivery-store.ts'
import { copyOf, type Kept, keep } from './kept.ts'
import { byValue } from './order.ts'

type Which = (delivery: WebhookDelivery) => boolean
type Order = (a: WebhookDelivery, b: WebhookDelivery) => number

export class EndpointDeliveries {
  /** by the ids of their events */
  private readonly deliveries = new Map<string, Kept<WebhookDelivery>>()

  /** Sorted by their positions. */
  get all(): WebhookDelivery[] {
    return [...this.deliveries.values()].map(({ value }) => value).sort((a, b) => a.position - b.position)
  }

  put(delivery: WebhookDelivery): void {
    this.deliveries.set(delivery.eventId, keep(delivery))
  }

  has(eventId: string): boolean {
    return this.deliveries.has(eventId)
  }

  find(eventId: string): WebhookDelivery | undefined {
    const delivery = this.deliveries.get(eventId)
    return delivery && copyOf(delivery)
  }

  delete(eventId: string): void {
    this.deliveries.delete(eventId)
  }

  hasDue(now: number): boolean {
    return this.all.some((each) => isDue(each, now))
  }

  due(now: number, limit: number, onlyOnce: boolean): WebhookDelivery[] {
    const which: Which = (each) => isDue(each, now) && (each.once || !onlyOnce)
    return this.select(which, (a, b) => (a.nextAt ?? 0) - (b.nextAt ?? 0), limit)
  }

  earliestPending(): WebhookDelivery | undefined {
    const which: Which = ({ state }) => state === 'pending'
    return this.select(which, (a, b) => a.position - b.position, 1)[0]
  }

  list({ state, before, limit }: DeliveryQuery): WebhookDelivery[] {
    const which: Which = (each) =>
      (state === undefined || each.state === state) && (before === undefined || each.position < before)
    return this.select(which, (a, b) => b.position - a.position, limit)
  }

  /** Deliveries that are equal in `order` are sorted by the ids of their events. */
  private select(which: Which, order: Order, limit: number): WebhookDelivery[] {
    const matches = [...this.deliveries.values()].filter(({ value }) => which(value))
    matches.sort(({ value: a }, { value: b }) => order(a, b) || byValue(a.eventId, b.eventId))
    return matches.slice(0, limit).map(copyOf)
  }
}

const isDue = ({ nextAt }: WebhookDelivery, now: number): boolean => nextAt !== null && nextAt <= now
