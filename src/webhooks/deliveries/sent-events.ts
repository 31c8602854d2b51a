/**
 * The deliveries and the tests of endpoints, as people see both.
 *
 * @module
 */
import { type AccountId, type WebhookId, webhookStream } from '../../domain/ids.ts'
import type { EventLog } from '../../log/event-log.ts'
import type { WebhookStreams } from '../endpoints/streams.ts'
import type { DeliveryStore, WebhookDelivery, WebhookTest } from './delivery-store.ts'
import { eventOf, type Message, messageOf, TEST_TYPE, testMessage } from './message.ts'
import { isSuccess, KEPT_MS } from './schedule.ts'

/** An event that was sent to an endpoint, or will be: of the log, or of a test. */
export type SentEvent = Pick<
  WebhookDelivery,
  'eventId' | 'stream' | 'type' | 'state' | 'attempts' | 'nextAt' | 'queuedAt'
>

/** When an event was first sent, or when it was queued if it was not sent yet, in milliseconds since 1970. */
export const sentAt = ({ attempts: [first], queuedAt }: SentEvent): number =>
  first === undefined ? queuedAt : Date.parse(first.at)

export type SentEventsOptions = {
  readonly log: EventLog
  readonly streams: WebhookStreams
  readonly deliveries: DeliveryStore
  /** milliseconds since 1970 */
  readonly now: () => number
}

export class SentEvents {
  constructor(private readonly options: SentEventsOptions) {}

  /** The latest tests of an endpoint, the latest first. Empty when the account has no such endpoint. */
  async tests(account: AccountId, id: WebhookId): Promise<readonly SentEvent[]> {
    if (!(await this.options.streams.find(account, id))) return []
    return (await this.kept(id)).map((test) => asSent(id, test))
  }

  /**
   * A delivery or a test, and what is sent.
   *
   * @returns undefined when the account has no such endpoint, or the endpoint no such delivery. `message` is undefined
   *   when the event cannot be sent
   */
  async find(
    account: AccountId,
    id: WebhookId,
    eventId: string,
  ): Promise<{ readonly sent: SentEvent; readonly message: Message | undefined } | undefined> {
    const { log, streams, deliveries } = this.options
    const webhook = await streams.find(account, id)
    if (!webhook) return undefined
    const delivery = await deliveries.find(id, eventId)
    if (delivery) {
      const event = await eventOf(log, delivery)
      return { sent: delivery, message: event && messageOf(event, log.id) }
    }
    const test = (await this.kept(id)).find((each) => each.eventId === eventId)
    return test && { sent: asSent(id, test), message: testMessage(test, webhook) }
  }

  /** A store may delete tests late. */
  private async kept(id: WebhookId): Promise<readonly WebhookTest[]> {
    const { deliveries, now } = this.options
    const oldest = now() - KEPT_MS
    return (await deliveries.tests(id)).filter(({ time }) => Date.parse(time) > oldest)
  }
}

const asSent = (webhookId: WebhookId, { eventId, time, attempt }: WebhookTest): SentEvent => ({
  eventId,
  stream: webhookStream(webhookId),
  type: TEST_TYPE,
  state: isSuccess(attempt) ? 'delivered' : 'failed',
  attempts: [attempt],
  nextAt: null,
  queuedAt: Date.parse(time),
})
