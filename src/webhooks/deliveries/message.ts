/**
 * What is sent to endpoints: the event of a delivery as the feed shows it, or the event of a test.
 *
 * @module
 */
import { type AccountId, type WebhookId, webhookStream } from '../../domain/ids.ts'
import { cloudEvent, isKnown, type Known } from '../../feed/cloud-events.ts'
import type { EventLog } from '../../log/event-log.ts'
import type { WebhookDelivery, WebhookTest } from './delivery-store.ts'

/** A message: a CloudEvents object or a similar one. */
export type Message = { readonly id: string }

/** The type of the event of a test, without its prefix. */
export const TEST_TYPE = 'WebhookTest'

/**
 * Reads the event of a delivery.
 *
 * @returns undefined when it cannot be sent: it is not in this log, or its type is of a newer version of the service
 */
export async function eventOf(
  log: { readonly readStream: EventLog['readStream'] },
  { stream, revision, eventId }: WebhookDelivery,
): Promise<Known | undefined> {
  const [event] = await log.readStream(stream, revision, 1)
  return event?.id === eventId && isKnown(event) ? event : undefined
}

/** The message of an event. @param logId the log that contains it */
export const messageOf = (event: Known, logId: string): Message => cloudEvent(event, logId)

/** The message of a test. */
export const testMessage = (
  { eventId, time }: Pick<WebhookTest, 'eventId' | 'time'>,
  { accountId, webhookId }: { readonly accountId: AccountId; readonly webhookId: WebhookId },
): Message & Readonly<Record<string, unknown>> => ({
  specversion: '1.0',
  id: eventId,
  type: `gleaner.${TEST_TYPE}`,
  source: `/accounts/${accountId}`,
  subject: webhookStream(webhookId),
  time,
  datacontenttype: 'application/json',
  data: { webhook_id: webhookId, account_id: accountId },
})
