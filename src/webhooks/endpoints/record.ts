/**
 * An endpoint as its account creates and sees it.
 *
 * @module
 */
import { timestamp } from '../../async/clock.ts'
import { EVENT_NAMES, type EventType, streamOf, TERMINAL_EVENTS } from '../../domain/events.ts'
import type { Webhook } from '../../domain/webhook.ts'

/** The event types of the feeds of accounts, to which an endpoint may subscribe: people, addresses and sources belong to no account. */
export const WEBHOOK_TYPES: readonly EventType[] = EVENT_NAMES.filter(
  (name) => !['person', 'address', 'source'].includes(streamOf(name)),
)
/** The types of an endpoint that names none: the ends of runs. */
export const DEFAULT_TYPES: readonly EventType[] = TERMINAL_EVENTS

export type WebhookRequest = {
  readonly url: string
  /** default: the ends of runs */
  readonly types?: readonly string[] | undefined
  readonly description?: string | null | undefined
}
export type WebhookChange = Partial<WebhookRequest> & { readonly state?: 'enabled' | 'disabled' | undefined }

/** The health of an endpoint; times are milliseconds since 1970. */
export type EndpointHealth = {
  /** the first failed attempt since the last success, or since it was enabled again; null without one */
  readonly failingSince: number | null
  readonly lastSuccessAt: number | null
}

/** Times are RFC 3339. */
export type WebhookRecord = ReturnType<typeof recordOf>

/** The record of an endpoint. */
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
