/**
 * Webhooks of an account: endpoints, tests, deliveries and their replay.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import { timestamp } from '../../async/clock.ts'
import { type AccountId, parseWebhookId, type WebhookId } from '../../domain/ids.ts'
import type { Position } from '../../log/event-log.ts'
import { OneOf } from '../../schema.ts'
import type { DeliveryState, WebhookDelivery } from '../../webhooks/deliveries/delivery-store.ts'
import type { WebhookRecord } from '../../webhooks/endpoints/record.ts'
import { answer } from '../answers.ts'
import type { Deps } from '../deps.ts'
import { type Call, type Endpoint, group, pageOf, reply } from '../endpoint.ts'
import type { Once } from '../idempotency.ts'
import { timeAt } from '../input.ts'
import { type PageQuery, pageBy } from '../lists.ts'
import { PAGE } from '../openapi/schemas.ts'
import { existing, invalidAt, Problem } from '../problems.ts'
import {
  ChangeWebhook,
  CreateWebhook,
  DeliverySchema,
  NewWebhookSchema,
  ReplayRequest,
  TestSchema,
  WebhookSchema,
  WithSecretSchema,
} from './webhook-schemas.ts'

const webhookRoute = group({
  access: { kind: 'key', scope: 'admin', operator: false },
  rate: 'admin',
  tag: 'Webhooks',
  params: { webhook_id: { type: 'string', description: 'The id of the endpoint.' } },
})
const SECRET = { 'cache-control': 'no-store' }
const DELETED =
  'The webhook that was created with this Idempotency-Key has been deleted. Use a new key to create another one.'

/** The secret is null in the answer to a repeat. */
type Created = { readonly record: WebhookRecord; readonly secret: string | null }

/** The webhook calls. */
export const webhookEndpoints = (deps: Deps, once: Once): Endpoint[] => [
  webhookRoute('GET', '/v1/webhooks', {
    id: 'listWebhooks',
    summary: 'List webhooks',
    description: 'All endpoints of the account, newest first.',
    answers: { 200: reply('The endpoints.', Type.Object({ webhooks: Type.Array(WebhookSchema) })) },
    handle: async ({ key }) => answer({ webhooks: await deps.webhooks.list(key.accountId) }),
  }),
  webhookRoute('POST', '/v1/webhooks', {
    id: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'Events of the account are delivered to the URL from now on, signed according to Standard Webhooks. The secret is ' +
      'shown only in this answer.',
    body: CreateWebhook,
    idempotent: true,
    answers: { 201: reply('The endpoint, with its secret.', NewWebhookSchema) },
    problems: ['too-many-webhooks'],
    handle: async (call) => {
      const { key, input, cause } = call
      const { record, secret } = await once.call<Created>(call, 'webhooks', {
        first: (operation) => deps.webhooks.createOnce(key.accountId, input, cause, operation),
        again: async ({ created }) => {
          const record = await deps.webhooks.get(key.accountId, created as WebhookId)
          if (record) return { record, secret: null }
          throw new Problem('idempotency-key-reused', { detail: DELETED })
        },
      })
      return answer({ ...record, secret }, 201, SECRET)
    },
  }),
  webhookRoute('GET', '/v1/webhooks/:webhook_id', {
    id: 'getWebhook',
    summary: 'Get a webhook',
    answers: { 200: reply('The endpoint.', WebhookSchema) },
    handle: async (call) => answer(existing(await deps.webhooks.get(...idsOf(call)))),
  }),
  webhookRoute('PATCH', '/v1/webhooks/:webhook_id', {
    id: 'changeWebhook',
    summary: 'Change a webhook',
    description: 'Only the fields that you send change. A new URL applies to pending deliveries too.',
    body: ChangeWebhook,
    answers: { 200: reply('The endpoint.', WebhookSchema) },
    handle: async (call) =>
      answer(existing(await deps.webhooks.change(...idsOf(call), call.input, call.cause))),
  }),
  webhookRoute('DELETE', '/v1/webhooks/:webhook_id', {
    id: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Its URL, its secrets and its deliveries are destroyed.',
    answers: { 204: { description: 'The endpoint is deleted.' } },
    handle: async (call) => {
      if (await deps.webhooks.remove(...idsOf(call), call.cause)) return new Response(null, { status: 204 })
      throw new Problem('not-found')
    },
  }),
  webhookRoute('POST', '/v1/webhooks/:webhook_id/rotate-secret', {
    id: 'rotateWebhookSecret',
    summary: 'Rotate the secret of a webhook',
    description: 'The new and the previous secret sign every delivery for 24 hours. No body is needed.',
    answers: { 200: reply('The endpoint, with its new secret.', WithSecretSchema) },
    handle: async (call) => {
      const { record, secret } = existing(await deps.webhooks.rotateSecret(...idsOf(call), call.cause))
      return answer({ ...record, secret }, 200, SECRET)
    },
  }),
  webhookRoute('POST', '/v1/webhooks/:webhook_id/test', {
    id: 'testWebhook',
    summary: 'Test a webhook',
    description:
      'Sends an event of the type `gleaner.WebhookTest` now, once. A success enables an endpoint that was disabled, a ' +
      '410 disables it. No body is needed.',
    answers: { 200: reply('What the endpoint answered.', TestSchema) },
    handle: async (call) =>
      // The endpoint may take longer than the time limit for stores.
      answer(existing(await call.time.except(deps.webhooks.test(...idsOf(call), call.cause)))),
  }),
  webhookRoute('GET', '/v1/webhooks/:webhook_id/deliveries', {
    id: 'listWebhookDeliveries',
    summary: 'List the deliveries of a webhook',
    description: 'Newest events first. They are kept for 30 days.',
    query: {
      ...PAGE,
      state: OneOf(['delivered', 'pending', 'failed'], 'Only deliveries in this state.'),
    },
    answers: { 200: pageOf('deliveries', DeliverySchema) },
    handle: async (call) => {
      const { rows, next } = await deliveriesOf(deps, ...idsOf(call), call.query)
      return answer({ deliveries: rows.map(deliveryView), next_cursor: next })
    },
  }),
  webhookRoute('POST', '/v1/webhooks/:webhook_id/replay', {
    id: 'replayWebhook',
    summary: 'Deliver events again',
    description:
      "One event, whatever its type, or the events of the endpoint's `types` in a time range. A disabled endpoint is sent " +
      'each event once.',
    body: ReplayRequest,
    answers: {
      202: reply(
        'The deliveries are queued.',
        Type.Object({ deliveries: Type.Integer({ minimum: 0, description: 'How many.', examples: [12] }) }),
      ),
    },
    handle: async (call) => {
      const [account, id] = idsOf(call)
      const queued = await call.time.except(deps.webhooks.replay(account, id, replayOf(call.input)))
      return answer({ deliveries: existing(queued) }, 202)
    },
  }),
]

/** A page of an endpoint's deliveries. @throws {Problem} 404; 422 for an invalid cursor */
export const deliveriesOf = (
  deps: Deps,
  account: AccountId,
  id: WebhookId,
  { state, ...query }: PageQuery & { readonly state?: DeliveryState | undefined },
) =>
  pageBy(
    ['deliveries', deps.log.id, id, state ?? ''],
    query,
    async (before: Position | undefined, limit) =>
      existing(await deps.webhooks.deliveries(account, id, { state, before, limit })),
    ({ position }) => position,
  )

const deliveryView = ({ eventId, type, stream, state, attempts, nextAt }: WebhookDelivery): object => ({
  event_id: eventId,
  type: `gleaner.${type}`,
  subject: stream,
  state,
  attempts,
  next_attempt_at: timestamp(nextAt),
})

/** The account of a call and the endpoint in its path. @throws {Problem} 404 for an invalid endpoint id */
const idsOf = ({ key, params }: Call): [AccountId, WebhookId] => [
  key.accountId,
  existing(parseWebhookId(params.webhook_id ?? '')),
]

/** @throws {Problem} 422 unless the input names an event or a start time */
function replayOf({ event_id, from, until, only_failed }: typeof ReplayRequest.static) {
  if (event_id !== undefined) {
    const other = Object.entries({ from, until, only_failed }).find(([, value]) => value !== undefined)
    if (!other) return { event_id }
    throw invalidAt(`/${other[0]}`, 'conflict', 'cannot be combined with event_id')
  }
  if (from === undefined) throw invalidAt('/from', 'missing-field', 'is required, unless event_id is given')
  const start = timeAt('/from', from)
  const end = until === undefined ? undefined : timeAt('/until', until)
  if (end !== undefined && end < start) throw invalidAt('/until', 'out-of-range', 'must not be before from')
  return { from: start, until: end, only_failed }
}
