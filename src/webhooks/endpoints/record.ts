/**
 * The representation of an endpoint for its account.
 *
 * @module
 */
import { timestamp } from '../../async/clock.ts'
import type { Webhook } from '../../domain/webhook.ts'
import type { EndpointHealth } from '../deliveries/delivery-store.ts'

/** Times are RFC 3339. */
export type WebhookRecord = ReturnType<typeof recordOf>

export const recordOf = (webhook: Webhook, url: string, health: EndpointHealth) => ({
  webhook_id: webhook.webhookId,
  url,
  types: webhook.types,
  description: webhook.description,
  state: webhook.status,
  disabled_reason: webhook.reason,
  failing_since: timestamp(health.failingSince),
  last_success_at: timestamp(health.lastSuccessAt),
  created_at: webhook.createdAt,
})
