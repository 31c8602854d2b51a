/**
 * Requests to the pages of one webhook.
 *
 * @module
 */
import { parseWebhookId, type WebhookId } from '../../../domain/ids.ts'
import type { Role } from '../../../domain/roles.ts'
import { existing } from '../../../http/problems.ts'
import type { WebhookRecord } from '../../../webhooks/endpoints/record.ts'
import { accountRoute, type PageRoute } from '../../route.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { webhooksPath } from './names.ts'

/** A request to a page of a webhook. */
export type OfWebhook = AccountVisitor & {
  readonly id: WebhookId
  readonly webhook: WebhookRecord
  /** of the webhook's page */
  readonly path: string
}

/** A page of a webhook, or the action of a form there. @param path below the webhook's path @param least the least role */
export const webhookRoute = (
  method: 'GET' | 'POST',
  path: string,
  least: Role,
  handle: (visitor: OfWebhook) => Promise<Response>,
): PageRoute =>
  accountRoute(method, `/webhooks/:webhook${path}`, least, async (visitor) =>
    handle(await ofWebhook(visitor)),
  )

/** @throws {Problem} 404 */
async function ofWebhook(visitor: AccountVisitor): Promise<OfWebhook> {
  const id = existing(parseWebhookId(visitor.call.params.webhook ?? ''))
  const webhook = existing(await visitor.deps.webhooks.get(visitor.accountId, id))
  return { ...visitor, id, webhook, path: `${webhooksPath(visitor)}/${id}` }
}
