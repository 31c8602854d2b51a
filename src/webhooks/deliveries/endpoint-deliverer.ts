/**
 * One endpoint in the process that delivers to it: follows the account's feed, queues the subscribed events, and makes
 * the attempts that are due.
 *
 * @module
 */
import { delay } from '../../async/delay.ts'
import { onceMore } from '../../async/once-more.ts'
import { retry } from '../../async/retry.ts'
import { webhookStream } from '../../domain/ids.ts'
import type { Webhook, WebhookCommand } from '../../domain/webhook.ts'
import type { DisabledReason } from '../../domain/webhook-events.ts'
import { cloudEvent, isKnown, type Known } from '../../feed/cloud-events.ts'
import type { Feed } from '../../feed/feed.ts'
import {
  type EventLog,
  furthest,
  isUnavailable,
  LogReplaced,
  type Position,
  type Recorded,
} from '../../log/event-log.ts'
import type { Logger } from '../../logger.ts'
import { random } from '../../random.ts'
import type { WebhookStreams } from '../endpoints/streams.ts'
import type { DeliveryAttempt, DeliveryStore, WebhookDelivery } from './delivery-store.ts'
import type { Post } from './post.ts'
import {
  afterTry,
  FAILING_MS,
  GONE,
  isSuccess,
  KEPT_MS,
  notMade,
  queued,
  type Tried,
  withAttempt,
} from './schedule.ts'
import { positionBefore } from './seek.ts'

/** A position in the log, and the time of the event there. */
type Reached = { readonly position: Position; readonly at: string }

/** Maximum number of concurrent attempts, normally and while the endpoint fails. */
const AT_ONCE = 4
const AT_ONCE_FAILING = 1
/** Minimum time between two checkpoints in the endpoint's stream, in milliseconds. */
const CHECKPOINT_MS = 60_000
/** Without events for the endpoint, the cursor is saved each time it has advanced by this many positions. */
const UNSAVED_EVENTS = 1000
/** Retries after shorter delays than this are made on time, in milliseconds. */
const SHORT_MS = 15_000
/** Delays between retries of operations on stores. */
const WAITS = { firstMs: 250, longestMs: 5000 }
const CAUSE = 'webhooks'
/** No event to send: its type is of a newer version of the service, or it is not in this log. */
const NO_EVENT = 'The event is not in the log of this service.'
const NOT_MADE = 'The service could not make the attempt.'

/**
 * The stored cursor is not the one this process saved: the store was emptied, or another process has moved the cursor.
 */
class CursorMoved extends Error {
  override readonly name = 'CursorMoved'
}

export type EndpointOptions = {
  readonly log: EventLog
  readonly feed: Feed
  readonly deliveries: DeliveryStore
  readonly streams: WebhookStreams
  readonly post: Post
  /** delays between the attempts of a delivery, in seconds */
  readonly retriesS: readonly number[]
  readonly logger: Logger
  /** milliseconds since 1970 */
  readonly now: () => number
  /** called after each attempt with the delivery's outcome and the milliseconds since its event */
  readonly onTried: (outcome: 'delivered' | 'retried' | 'failed', sinceEventMs: number) => void
}

export class EndpointDeliverer {
  private readonly stopped = new AbortController()
  private readonly sending = new Set<string>()
  private failing = false
  private following: AbortController | undefined
  /** the position up to which all subscribed events were queued */
  private reached: Reached | undefined
  /** the cursor in the store; null: none, or one of another log */
  private saved: Position | null = null
  private hasMoved = false
  private checkpointedAt = 0

  /** @param webhook its current state; call {@link update} to begin */
  constructor(
    private webhook: Webhook,
    private readonly options: EndpointOptions,
  ) {}

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
      void this.follow(AbortSignal.any([signal, this.following.signal]))
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
    const due = await this.withRetries(() =>
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
    const { log, deliveries, now, retriesS, onTried } = this.options
    const { signal } = this.stopped
    const { secretsRef } = this.webhook
    const found = await this.withRetries(async () => {
      const [event] = await log.readStream(delivery.stream, delivery.revision, 1)
      if (event?.id !== delivery.eventId || !isKnown(event)) return { event, tried: notMade(now(), NO_EVENT) }
      return { event, tried: await this.post(event) }
    })
    if (!found || signal.aborted) return false
    const { event, tried } = found
    const next = afterTry(delivery, tried, { waitsS: retriesS, now: now(), random: random() })
    const success = isSuccess(tried.attempt)
    // Written together, so that the embedded store uses one transaction.
    const noted = await this.withRetries(() =>
      Promise.all([
        deliveries.noted(delivery.webhookId, success, Date.parse(tried.attempt.at)),
        this.record(next, tried.attempt),
      ]),
    )
    if (!noted) return false
    const [health] = noted
    this.failing = health.failingSince !== null
    // Looking for due deliveries every second would add up to a second to a short delay.
    const waitMs = next.nextAt === null ? SHORT_MS : next.nextAt - now()
    if (waitMs < SHORT_MS) void delay(waitMs, signal).then(this.drain)
    if (delivery.type !== 'WebhookAdvanced') this.hasMoved = true
    onTried(
      next.state === 'pending' ? 'retried' : next.state,
      now() - Date.parse(event?.meta.at ?? tried.attempt.at),
    )
    // Not if the URL was changed during the attempt: its old address is gone.
    if (tried.attempt.status === GONE) await this.disable('gone', secretsRef)
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
  private async post(event: Known): Promise<Tried> {
    const { log, post, logger, now } = this.options
    const { webhookId, host } = this.webhook
    try {
      return await post(this.webhook, cloudEvent(event, log.id), this.stopped.signal)
    } catch (err) {
      if (isUnavailable(err)) throw err
      logger.error({ err, webhook: webhookId, host }, 'An attempt of a webhook could not be made.')
      return notMade(now(), NOT_MADE)
    }
  }

  /** Queues the events of the feed, from the endpoint's cursor on, until the signal aborts. */
  private async follow(signal: AbortSignal): Promise<void> {
    const when = () => !signal.aborted
    const once = async () => {
      const from = await this.begin()
      for await (const { events, reached } of this.options.feed.follow(
        this.webhook.accountId,
        from,
        signal,
      )) {
        if (signal.aborted) return
        if (reached !== null) await this.queue(events, reached)
      }
    }
    const onRetry = (error: unknown) => {
      if (!(error instanceof LogReplaced || error instanceof CursorMoved)) this.failed(error)
    }
    await retry(once, { ...WAITS, when, signal, onRetry }).catch((error) => {
      if (!signal.aborted) this.failed(error)
    })
  }

  /** @throws {CursorMoved} */
  private async queue(events: readonly Recorded[], reached: Position): Promise<void> {
    const { log, deliveries, now } = this.options
    const { webhookId, types } = this.webhook
    const oldest = now() - KEPT_MS
    const wanted = events.filter(
      (event) => isKnown(event) && types.includes(event.type) && Date.parse(event.meta.at) > oldest,
    )
    const last = events.at(-1)
    if (last) this.reached = { position: reached, at: last.meta.at }
    if (wanted.length === 0 && reached - (this.saved ?? 0) < UNSAVED_EVENTS) return
    const added = wanted.map((event) => queued(webhookId, event, now()))
    const cursor = { logId: log.id, position: reached }
    if (!(await deliveries.queue(webhookId, added, cursor, this.saved))) throw new CursorMoved()
    this.saved = reached
    if (wanted.length > 0) this.drain()
  }

  /** The position in the feed from which to continue. */
  private async begin(): Promise<Position | null> {
    const { log, deliveries } = this.options
    const { webhookId, accountId, checkpoint } = this.webhook
    const cursor = await deliveries.cursor(webhookId)
    this.saved = cursor?.logId === log.id ? cursor.position : null
    if (this.saved !== null) return this.saved
    if (checkpoint?.log === log.id) return checkpoint.position as Position
    // Another log has different positions, but the same events with the same times.
    const before = checkpoint && (await positionBefore(log, accountId, Date.parse(checkpoint.until)))
    const [created] = await log.readStream(webhookStream(webhookId), 0, 1)
    return furthest(created?.position ?? null, before)
  }

  /** Writes a checkpoint into the endpoint's stream, at most once a minute and only after new attempts. */
  async checkpoint(): Promise<void> {
    const { deliveries, log, now } = this.options
    const { reached, webhook } = this
    if (!this.hasMoved || !reached || now() - this.checkpointedAt < CHECKPOINT_MS) return
    this.checkpointedAt = now()
    this.hasMoved = false
    const until = await this.withRetries(async () => {
      const pending = await deliveries.earliestPending(webhook.webhookId)
      const cursor = await deliveries.cursor(webhook.webhookId)
      // An emptied store has no pending deliveries, so it does not prove that all events were delivered.
      if (cursor?.logId !== log.id || cursor.position !== this.saved) return undefined
      return pending ? this.reachedBefore(pending, reached) : reached
    })
    if (!until) return
    await this.handle({
      type: 'advance',
      checkpoint: { position: until.position, log: log.id, until: until.at },
    })
  }

  /**
   * The last event with a delivery before the earliest pending one; undefined if none exists. Replays may have delivered
   * events after `reached`, up to which all were queued.
   */
  private async reachedBefore(
    { webhookId, position }: WebhookDelivery,
    reached: Reached,
  ): Promise<Reached | undefined> {
    const { deliveries, log } = this.options
    const end = Math.min(position, reached.position + 1) as Position
    const [before] = await deliveries.list(webhookId, { before: end, limit: 1 })
    if (!before) return undefined
    const [event] = await log.readStream(before.stream, before.revision, 1)
    return event && { position: event.position, at: event.meta.at }
  }

  private disable(reason: DisabledReason, from?: string): Promise<void> {
    return this.handle({ type: 'change', state: 'disabled', reason, from })
  }

  private async handle(command: WebhookCommand): Promise<void> {
    const { webhookId, accountId } = this.webhook
    const cause = { correlationId: CAUSE, causationId: CAUSE, now: this.options.now() }
    await this.withRetries(() => this.options.streams.handle(accountId, webhookId, command, cause))
  }

  /**
   * Retries while a store is unavailable.
   *
   * @returns undefined when the endpoint was stopped, or after another failure
   */
  private async withRetries<T>(act: () => Promise<T>): Promise<T | undefined> {
    const { signal } = this.stopped
    const onRetry = (error: unknown) => this.failed(error)
    try {
      return await retry(act, { ...WAITS, when: isUnavailable, signal, onRetry })
    } catch (error) {
      if (!signal.aborted) this.failed(error)
      return undefined
    }
  }

  private failed(err: unknown): void {
    const { webhookId, host } = this.webhook
    this.options.logger.warn({ err, webhook: webhookId, host }, 'The webhook is waiting for a store.')
  }
}
