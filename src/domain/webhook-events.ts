/**
 * The events of webhook endpoints. Part of events.ts, and public in the same way.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import { Nullable } from '../schema.ts'
import { Account, event, Operation, Webhook } from './event-type.ts'

const ENDPOINT = { webhook_id: Webhook, account_id: Account }
const Host = Type.String({ description: 'host of the URL; the URL itself is in the vault' })
const Types = Type.Array(Type.String(), { description: 'the event types that are delivered' })
const Description = Nullable(Type.String())
const Secrets = Type.String({ description: 'key of the URL and the signing secrets in the vault' })

/** Why an endpoint is disabled: it was requested, the endpoint answered 410, or it failed for five days. */
export const DISABLED_REASONS = ['requested', 'gone', 'failing'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

export const WEBHOOK_EVENTS = {
  WebhookCreated: event('Events of the account are delivered to the endpoint from now on.', {
    ...ENDPOINT,
    host: Host,
    types: Types,
    description: Description,
    secrets_ref: Secrets,
    operation: Operation,
  }),
  WebhookChanged: event("The endpoint's URL, types or description were changed.", {
    ...ENDPOINT,
    host: Type.Optional(Host),
    types: Type.Optional(Types),
    description: Type.Optional(Description),
    secrets_ref: Type.Optional(Secrets),
  }),
  WebhookSecretRotated: event(
    'Deliveries are signed with a new secret, and for 24 hours with the previous one too.',
    { ...ENDPOINT, secrets_ref: Secrets },
  ),
  WebhookDisabled: event('Nothing is delivered to the endpoint until it is enabled again.', {
    ...ENDPOINT,
    reason: Type.Union(DISABLED_REASONS.map((reason) => Type.Literal(reason))),
  }),
  WebhookEnabled: event(
    'Deliveries to the endpoint continue from the event at which they stopped.',
    ENDPOINT,
  ),
  WebhookAdvanced: event('All events of the endpoint up to a position were delivered or have failed.', {
    ...ENDPOINT,
    position: Type.Integer({ minimum: 0 }),
    log: Type.String({ description: 'id of the log that the position refers to' }),
    until: Type.String({ format: 'date-time', description: 'time of the event at the position, RFC 3339' }),
  }),
  WebhookDeleted: event('The endpoint was deleted, with its URL, its secrets and its deliveries.', ENDPOINT),
}
