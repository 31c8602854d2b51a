/**
 * One endpoint in the process that delivers to it: makes the attempts that are due. Its subscription queues them.
 *
 * @module
 */
import { delay } from '../../async/delay.ts'
import { onceMore } from '../../async/once-more.ts'
import type { Webhook, WebhookCommand } from '../../domain/webhook.ts'
import type { DisabledReason } from '../../domain/webhook-events.ts'
import type { Known } from '../../feed/cloud-events.ts'
import { isUnavailable } from '../../log/event-log.ts'
import type { Logger } from '../../logger.ts'
import { random } from '../../random.ts'
import type { WebhookStreams } from '../endpoints/streams.ts'
import type { DeliveryAttempt, WebhookDelivery } from './delivery-store.ts'
import { eventOf, messageOf } from './message.ts'
import type { Post } from './post.ts'
import {
  type AttemptResult,
  afterAttempt,
  FAILING_MS,
  GONE,
  isSuccess,
  unmadeAttempt,
  withAttempt,
} from './schedule.ts'
import { StoreRetries } from './store-retries.ts'
import { Subscription, type SubscriptionOptions } from './subscription.ts'

/** Maximum number of concurrent attempts, normally and while the endpoint fails. */
const AT_ONCE = 4
const AT_ONCE_FAILING = 1
/** Retries after shorter delays than this are made on time, in milliseconds. */
const SHORT_MS = 15_000
const CAUSE = 'webhooks'
/** No event to send: its type is of a newer version of the service, or it is not in this log. */
const NO_EVENT = 'The event is not in the log of this service.'
const NOT_MADE = 'The service could not make the attempt.'

export type EndpointOptions = SubscriptionOptions & {
  readonly streams: WebhookStreams
  readonly post: Post
  /** delays between the attempts of a delivery, in seconds */
  readonly retryDelaysS: readonly number[]
  readonly logger: Logger
  /** called after each attempt with the delivery's outcome and the milliseconds since its event */
  readonly onTried: (outcome: 'delivered' | 'retried' | 'failed', sinceEventMs: number) => void
}

export class EndpointDeliverer {
  private readonly stopped = new AbortController()
  private readonly sending = new Set<string>()
  private failing = false
  private following: AbortController | undefined
  private readonly retries: StoreRetries
  private readonly subscription: Subscription

  /** @param webhook its current state; call {@link update} to begin */
  constructor(
    private webhook: Webhook,
    private readonly options: EndpointOptions,
  ) {
    this.retries = new StoreRetries(() => this.webhook, options.logger, this.stopped.signal)
    this.subscription = new Subscription(
      () => this.webhook,
      options,
      this.retries,
      () => this.drain(),
    )
  }

  /** Begins, or applies a change of the endpoint. */
  update(webhook: Webhook): void {
    this.webhook = webhook
    const { signal } = this.stopped
    if (signal.aborted) return
    if (webhook.status === 'disabled') {
      this.following?.abort()
      this.following = undefined
    } else if (!this.following) {
      this.following = new AbortController()
      void this.subscription.follow(AbortSignal.any([signal, this.following.signal]))
    }
    this.drain()
  }

  /** Stops without waiting. An attempt in progress is repeated by the next process that leases the endpoint. */
  stop(): void {
    this.stopped.abort()
  }

  /** Makes the attempts that are due. */
  readonly drain = onceMore(() => this.drainNow())

  private async drainNow(): Promise<void> {
    const free = (this.failing ? AT_ONCE_FAILING : AT_ONCE) - this.sending.size
    if (free <= 0 || this.stopped.signal.aborted) return
    const { deliveries, now } = this.options
    const { webhookId, status } = this.webhook
    const due = await this.retries.run(() =>
      deliveries.due(webhookId, now(), AT_ONCE + this.sending.size, status === 'disabled'),
    )
    const next = due?.filter(({ eventId }) => !this.sending.has(eventId)).slice(0, free) ?? []
    for (const delivery of next) {
      this.sending.add(delivery.eventId)
      void this.deliver(delivery).then((isRecorded) => {
        this.sending.delete(delivery.eventId)
        // Without a result it is still due: it is found again within a second. Draining now would not wait at all.
        if (isRecorded) this.drain()
      })
    }
  }

  /** Makes one attempt. @returns whether its result was recorded */
  private async deliver(delivery: WebhookDelivery): Promise<boolean> {
    const { log, deliveries, now, retryDelaysS, onTried } = this.options
    const { signal } = this.stopped
    const { secretsRef } = this.webhook
    const outcome = await this.retries.run(async () => {
      const event = await eventOf(log, delivery)
      return { event, result: event ? await this.post(event) : unmadeAttempt(now(), NO_EVENT) }
    })
    if (!outcome || signal.aborted) return false
    const { event, result } = outcome
    const next = afterAttempt(delivery, result, { retryDelaysS: retryDelaysS, now: now(), random: random() })
    const success = isSuccess(result.attempt)
    // Written together, so that the embedded store uses one transaction.
    const noted = await this.retries.run(() =>
      Promise.all([
        deliveries.noted(delivery.webhookId, success, Date.parse(result.attempt.at)),
        this.record(next, result.attempt),
      ]),
    )
    if (!noted) return false
    const [health] = noted
    this.failing = health.failingSince !== null
    // Looking for due deliveries every second would add up to a second to a short delay.
    const waitMs = next.nextAt === null ? SHORT_MS : Math.max(0, next.nextAt - now())
    if (waitMs < SHORT_MS) void delay(waitMs, signal).then(this.drain)
    if (delivery.type !== 'WebhookAdvanced') this.subscription.moved()
    onTried(
      next.state === 'pending' ? 'retried' : next.state,
      now() - Date.parse(event?.meta.at ?? result.attempt.at),
    )
    // Not if the URL was changed during the attempt: its old address is gone.
    if (result.attempt.status === GONE) await this.disable('gone', secretsRef)
    else if (health.failingSince !== null && now() - health.failingSince >= FAILING_MS)
      await this.disable('failing')
    return true
  }

  /** Writes a delivery after an attempt. If it was replayed meanwhile, it only gets the attempt and stays due. */
  private async record(next: WebhookDelivery, attempt: DeliveryAttempt): Promise<void> {
    const { deliveries } = this.options
    let changed: WebhookDelivery | undefined = next
    while (changed && !(await deliveries.put([changed], changed.queuedAt))) {
      const replayed = await deliveries.find(next.webhookId, next.eventId)
      changed = replayed && withAttempt(replayed, attempt)
    }
  }

  /** Sends an event. A defect of the service counts as a failed attempt, so the delivery is retried with its delays. */
  private async post(event: Known): Promise<AttemptResult> {
    const { log, post, logger, now } = this.options
    const { webhookId, host } = this.webhook
    try {
      return await post(this.webhook, messageOf(event, log.id), this.stopped.signal)
    } catch (err) {
      if (isUnavailable(err)) throw err
      logger.error({ err, webhook: webhookId, host }, 'An attempt of a webhook could not be made.')
      return unmadeAttempt(now(), NOT_MADE)
    }
  }

  /** Writes a checkpoint into the endpoint's stream if one is due. */
  async checkpoint(): Promise<void> {
    const command = await this.subscription.checkpoint()
    if (command) await this.handle(command)
  }

  private disable(reason: DisabledReason, from?: string): Promise<void> {
    return this.handle({ type: 'change', state: 'disabled', reason, from })
  }

  private async handle(command: WebhookCommand): Promise<void> {
    const { webhookId, accountId } = this.webhook
    const cause = { correlationId: CAUSE, causationId: CAUSE, now: this.options.now() }
    await this.retries.run(() => this.options.streams.handle(accountId, webhookId, command, cause))
  }
}
