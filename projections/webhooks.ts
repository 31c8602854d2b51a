/**
 * One row per webhook endpoint that is not deleted: the state of its stream at a revision. Folds start from it, because
 * an endpoint's stream gets a checkpoint every minute.
 *
 * @module
 */
import { namesOf } from '../src/domain/events.ts'
import { isWebhook, type Webhook, type WebhookEvent, webhookDecider } from '../src/domain/webhook.ts'
import { WEBHOOK_EVENTS } from '../src/domain/webhook-events.ts'
import type { Projection, Row } from '../src/read/read-models.ts'

export type WebhookRow = Row & {
  readonly webhook_id: string
  readonly account_id: string
  /** revision of the endpoint's stream that the row reflects */
  readonly revision: number
  readonly state: Webhook
  /** position of its WebhookCreated: the sort key of the lists */
  readonly created: number
  /** the same in all rows, so that one index covers all of them */
  readonly all: 1
}

export const webhooks: Projection<WebhookRow, WebhookEvent['type']> = {
  name: 'webhooks',
  version: 1,
  types: namesOf(WEBHOOK_EVENTS),
  key: ({ event }) => event.data.webhook_id,
  apply(row, { event, meta, revision, position }) {
    const state = webhookDecider.evolve(row?.state ?? { status: 'none' }, event, meta)
    if (!isWebhook(state)) return null
    const { webhook_id, account_id } = event.data
    return { webhook_id, account_id, revision, state, created: row?.created ?? position, all: 1 }
  },
  indexes: { by_account: ['account_id', 'created'], all: ['all', 'created'] },
}
