/**
 * The events of webhook endpoints. A part of events.ts, and public as those are.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import { Account, event, Webhook } from './event-type.ts'

const ENDPOINT = { webhook_id: Webhook, account_id: Account }
const Host = Type.String({ description: 'host of the URL; the URL itself is in the vault' })
const Types = Type.Array(Type.String(), { description: 'the event types that are delivered' })
const Description = Type.Union([Type.String(), Type.Null()])
const Secrets = Type.String({ description: 'key of the URL and the signing secrets in the vault' })

/** Why an endpoint is disabled: somebody asked for it, it answered 410, or it failed for five days. */
export const DISABLED_REASONS = ['requested', 'gone', 'failing'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

export const WEBHOOK_EVENTS = {
  WebhookCreated: event('Events of the account are delivered to an endpoint from now on.', {
    ...ENDPOINT,
    host: Host,
    types: Types,
    description: Description,
    secrets_ref: Secrets,
  }),
  WebhookChanged: event('The endpoint has another URL, other types or another description.', {
    ...ENDPOINT,
    host: Type.Optional(Host),
    types: Type.Optional(Types),
    description: Type.Optional(Description),
    secrets_ref: Type.Optional(Secrets),
  }),
  WebhookSecretRotated: event(
    'Deliveries are signed with another secret; the previous one signs beside it for 24 hours.',
    { ...ENDPOINT, secrets_ref: Secrets },
  ),
  WebhookDisabled: event('Nothing is delivered to the endpoint until it is enabled again.', {
    ...ENDPOINT,
    reason: Type.Union(DISABLED_REASONS.map((reason) => Type.Literal(reason))),
  }),
  WebhookEnabled: event('The endpoint goes on from the event at which it had stopped.', ENDPOINT),
  WebhookAdvanced: event('All events of the endpoint up to a position were delivered, or have failed.', {
    ...ENDPOINT,
    position: Type.Integer({ minimum: 0 }),
    log: Type.String({ description: 'the log that the position is of' }),
    until: Type.String({ format: 'date-time', description: 'time of the event at the position, RFC 3339' }),
  }),
  WebhookDeleted: event('The endpoint is gone, with its URL, its secrets and its deliveries.', ENDPOINT),
}
