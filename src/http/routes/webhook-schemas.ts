/**
 * Request and response schemas of the webhook calls.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import { DISABLED_REASONS } from '../../domain/webhook-events.ts'
import { Count, Nullable, OneOf, Text, Time } from '../../schema.ts'
import { DEFAULT_TYPES, WEBHOOK_TYPES } from '../../webhooks/endpoints/record.ts'
import { Moment } from '../openapi/schemas.ts'

const STATES = ['enabled', 'disabled'] as const

/** The outcome of a delivery attempt. */
const TRY = {
  status: Nullable(Type.Integer(), {
    description: 'The status of the answer; null without an answer.',
    examples: [204],
  }),
  duration_ms: Count('How long the try took, in milliseconds.', 87),
  error: Nullable(Type.String(), {
    description: 'Why the try failed; null if it succeeded.',
    examples: [null],
  }),
  response: Nullable(Type.String(), {
    description: 'The first 4 KiB of the body of the answer; null without an answer.',
    examples: [''],
  }),
}

const WEBHOOK = {
  webhook_id: Type.String({ pattern: '^whk_', examples: ['whk_06gzvd90ss7m2k9fh8xrtw4n5c'] }),
  url: Type.String({ format: 'uri', examples: ['https://hooks.example.org/gleaner'] }),
  types: Type.Array(OneOf(WEBHOOK_TYPES, undefined, 'RunSucceeded'), {
    description: 'The event types that are delivered.',
  }),
  description: Nullable(Type.String({ examples: ['The warehouse'] })),
  state: OneOf(STATES, 'A disabled endpoint is sent nothing.', 'enabled'),
  disabled_reason: Nullable(
    OneOf(DISABLED_REASONS, 'requested: by PATCH; gone: it answered 410; failing: it failed for 5 days.'),
    { examples: [null] },
  ),
  failing_since: Nullable(Time('The first failed try since the last success.'), { examples: [null] }),
  last_success_at: Nullable(Time('The last try that succeeded.')),
  created_at: Time('When the endpoint was created.'),
}
export const WebhookSchema = Type.Object(WEBHOOK, {
  $id: 'Webhook',
  description: 'An endpoint that events are delivered to.',
})
const Secret = Text('Signs the deliveries. It is shown only once.', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD')
export const NewWebhookSchema = Type.Object(
  {
    ...WEBHOOK,
    secret: Nullable(Secret, {
      description: 'Signs the deliveries. It is shown only once: null in the answer to a repeat.',
    }),
  },
  { $id: 'NewWebhook', description: 'An endpoint that was just created.' },
)
export const WithSecretSchema = Type.Object(
  { ...WEBHOOK, secret: Secret },
  { $id: 'WebhookWithSecret', description: 'An endpoint with its new secret.' },
)
export const DeliverySchema = Type.Object(
  {
    event_id: Text(
      'The id of the event, which is sent as `webhook-id`.',
      '9b2f7c1d-4e6a-4035-8d1e-2f3a4b5c6d7e',
    ),
    type: Text('The type of the event.', 'gleaner.RunSucceeded'),
    subject: Text('The stream of the event.', 'run-run_01kahx3v5c8m2q7r4t9w0y6z1b'),
    state: OneOf(['delivered', 'pending', 'failed'], 'failed: there are no further tries.', 'delivered'),
    attempts: Type.Array(Type.Object({ at: Time('When the try was made.'), ...TRY }), {
      description: 'The newest 20 tries, oldest first.',
    }),
    next_attempt_at: Nullable(Time('When the next try is made.'), { examples: [null] }),
  },
  { $id: 'WebhookDelivery' },
)

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'An https URL without user name and password. Its host must have public addresses only.',
})
const Types = Type.Array(OneOf(WEBHOOK_TYPES), {
  minItems: 1,
  maxItems: WEBHOOK_TYPES.length,
  uniqueItems: true,
  description: `The event types to deliver. Default: the ends of runs (${DEFAULT_TYPES.join(', ')}).`,
})
const Description = Nullable(Type.String({ maxLength: 500 }), {
  description: 'A text of your choice. It stays in the event log.',
})
export const CreateWebhook = Type.Object(
  { url: Url, types: Type.Optional(Types), description: Type.Optional(Description) },
  { examples: [{ url: WEBHOOK.url.examples[0], types: ['RunSucceeded', 'RunFailed'] }] },
)
export const ChangeWebhook = Type.Object(
  {
    url: Type.Optional(Url),
    types: Type.Optional(Types),
    description: Type.Optional(Description),
    state: Type.Optional(OneOf(STATES, 'disabled: nothing is sent until it is enabled again.')),
  },
  { examples: [{ state: 'disabled' }] },
)
const PAST = '2026-01-31T00:00:00Z'
export const ReplayRequest = Type.Object(
  {
    event_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'One event, whatever its type.' }),
    ),
    from: Type.Optional(Moment("The events of the endpoint's types from this time on.", PAST)),
    until: Type.Optional(Moment('Up to this time. Default: now.', PAST)),
    only_failed: Type.Optional(
      Type.Boolean({ description: 'Only events whose delivery failed. Default: false.' }),
    ),
  },
  { examples: [{ from: '2026-11-21T00:00:00Z', only_failed: true }] },
)
export const TestSchema = Type.Object({
  delivered: Type.Boolean({
    description: 'Whether the endpoint answered with 2xx within 30 seconds.',
    examples: [true],
  }),
  ...TRY,
})
