/**
 * Deliveries as they are queued.
 *
 * @module
 */
import type { WebhookId } from '../domain/ids.ts'
import type { Recorded } from '../log/event-log.ts'
import type { Delivery } from './delivery-store.ts'

/** Deliveries, and the events that an endpoint may still get, are kept for so long, in milliseconds. */
export const KEPT_MS = 30 * 24 * 3_600_000

/** @param now milliseconds since 1970: its first try is then */
export const queued = (
  webhookId: WebhookId,
  { id, position, stream, revision, type }: Recorded,
  now: number,
): Delivery => ({
  ...{ webhookId, eventId: id, position, stream, revision, type },
  ...{ state: 'pending', attempts: [], tries: 0, nextAt: now, once: false, queuedAt: now },
})
