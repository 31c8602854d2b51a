/**
 * An endpoint right now: the read model's row, and what its stream has after it.
 *
 * @module
 */
import { webhooks } from '../../projections/webhooks.ts'
import { type WebhookId, webhookStream } from '../domain/ids.ts'
import type { WebhookState } from '../domain/webhook.ts'
import { unlessAway } from '../log/away.ts'
import type { EventLog } from '../log/event-log.ts'
import { type Loaded, load } from '../log/execute.ts'
import { webhookFold } from '../log/folds.ts'
import type { ReadModels } from '../read/read-models.ts'

/** @throws {StoreUnavailable} when the log is away; without the read models the whole stream is read */
export async function loadWebhook(
  { log, readModels }: { readonly log: EventLog; readonly readModels: ReadModels },
  id: WebhookId,
): Promise<Loaded<WebhookState>> {
  const [row, checkpoint] =
    (await unlessAway(Promise.all([readModels.get(webhooks, id), readModels.checkpoint(webhooks)]))) ?? []
  return load(log, webhookStream(id), webhookFold, row && checkpoint?.logId === log.id ? row : undefined)
}
