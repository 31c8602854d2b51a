/**
 * The representation of an endpoint for its account.
 *
 * @module
 */
import type { Webhook } from '../domain/webhook.ts'
import type { EndpointHealth } from './delivery-store.ts'

/** Times are RFC 3339. */
export type WebhookRecord = ReturnType<typeof recordOf>

export const recordOf = (webhook: Webhook, url: string, health: EndpointHealth) => ({
  webhook_id: webhook.webhookId,
  url,
  types: webhook.types,
  description: webhook.description,
  state: webhook.status,
  disabled_reason: webhook.reason,
  failing_since: timeOf(health.failingSince),
  last_success_at: timeOf(health.lastSuccessAt),
  created_at: webhook.createdAt,
})

/** @param ms milliseconds since 1970 */
export const timeOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())
