/**
 * The subscription of one endpoint to its account's feed: queues a delivery for each event of the endpoint's types, and
 * writes checkpoints into the endpoint's stream.
 *
 * @module
 */
import { retry } from '../../async/retry.ts'
import { webhookStream } from '../../domain/ids.ts'
import type { Webhook, WebhookCommand } from '../../domain/webhook.ts'
import { isKnown } from '../../feed/cloud-events.ts'
import type { Feed } from '../../feed/feed.ts'
import { type EventLog, furthest, LogReplaced, type Position, type Recorded } from '../../log/event-log.ts'
import type { DeliveryStore, WebhookDelivery } from './delivery-store.ts'
import { KEPT_MS, queued } from './schedule.ts'
import { positionBefore } from './seek.ts'
import { type StoreRetries, WAITS } from './store-retries.ts'

/** A position in the log, and the time of the event there. */
type Reached = { readonly position: Position; readonly at: string }

/** Minimum time between two checkpoints in the endpoint's stream, in milliseconds. */
const CHECKPOINT_MS = 60_000
/** Without events for the endpoint, the cursor is saved each time it has advanced by this many positions. */
const UNSAVED_EVENTS = 1000

/**
 * The stored cursor is not the one this process saved: the store was emptied, or another process has moved the cursor.
 */
class CursorMoved extends Error {
  override readonly name = 'CursorMoved'
}

export type SubscriptionOptions = {
  readonly log: EventLog
  readonly feed: Feed
  readonly deliveries: DeliveryStore
  /** milliseconds since 1970 */
  readonly now: () => number
}

export class Subscription {
  /** the position up to which all subscribed events were queued */
  private reached: Reached | undefined
  /** the cursor in the store; null: none, or one of another log */
  private savedCursor: Position | null = null
  private hasMoved = false
  private checkpointedAt = 0

  /**
   * @param webhook the endpoint's current state
   * @param onQueued called when deliveries were queued
   */
  constructor(
    private readonly webhook: () => Webhook,
    private readonly options: SubscriptionOptions,
    private readonly retries: StoreRetries,
    private readonly onQueued: () => void,
  ) {}

  /** Queues the events of the feed, from the endpoint's cursor on, until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    const when = () => !signal.aborted
    const once = async () => {
      const from = await this.begin()
      const pages = this.options.feed.follow(this.webhook().accountId, from, signal)
      for await (const { events, reached } of pages) {
        if (signal.aborted) return
        if (reached !== null) await this.queue(events, reached)
      }
    }
    const onRetry = (error: unknown) => {
      if (!(error instanceof LogReplaced || error instanceof CursorMoved)) this.retries.failed(error)
    }
    await retry(once, { ...WAITS, when, signal, onRetry }).catch((error) => {
      if (!signal.aborted) this.retries.failed(error)
    })
  }

  /** An attempt was made, so that the next checkpoint may be further on. */
  moved(): void {
    this.hasMoved = true
  }

  /**
   * The command that writes a checkpoint into the endpoint's stream: at most once a minute, and only after new attempts.
   */
  async checkpoint(): Promise<WebhookCommand | undefined> {
    const { deliveries, log, now } = this.options
    const { reached } = this
    if (!this.hasMoved || !reached || now() - this.checkpointedAt < CHECKPOINT_MS) return undefined
    this.checkpointedAt = now()
    this.hasMoved = false
    const { webhookId } = this.webhook()
    const until = await this.retries.run(async () => {
      const pending = await deliveries.earliestPending(webhookId)
      const cursor = await deliveries.cursor(webhookId)
      // An emptied store has no pending deliveries, so it does not prove that all events were delivered.
      if (cursor?.logId !== log.id || cursor.position !== this.savedCursor) return undefined
      return pending ? this.reachedBefore(pending, reached) : reached
    })
    return (
      until && { type: 'advance', checkpoint: { position: until.position, log: log.id, until: until.at } }
    )
  }

  /** @throws {CursorMoved} */
  private async queue(events: readonly Recorded[], reached: Position): Promise<void> {
    const { log, deliveries, now } = this.options
    const { webhookId, types } = this.webhook()
    const oldest = now() - KEPT_MS
    const matching = events.filter(
      (event) => isKnown(event) && types.includes(event.type) && Date.parse(event.meta.at) > oldest,
    )
    const last = events.at(-1)
    if (last) this.reached = { position: reached, at: last.meta.at }
    if (matching.length === 0 && reached - (this.savedCursor ?? 0) < UNSAVED_EVENTS) return
    const batch = matching.map((event) => queued(webhookId, event, now()))
    const cursor = { logId: log.id, position: reached }
    if (!(await deliveries.queue(webhookId, batch, cursor, this.savedCursor))) throw new CursorMoved()
    this.savedCursor = reached
    if (matching.length > 0) this.onQueued()
  }

  /** The position in the feed from which to continue. */
  private async begin(): Promise<Position | null> {
    const { log, deliveries } = this.options
    const { webhookId, accountId, checkpoint } = this.webhook()
    const cursor = await deliveries.cursor(webhookId)
    this.savedCursor = cursor?.logId === log.id ? cursor.position : null
    if (this.savedCursor !== null) return this.savedCursor
    if (checkpoint?.log === log.id) return checkpoint.position as Position
    // Another log has different positions, but the same events with the same times.
    const before = checkpoint && (await positionBefore(log, accountId, Date.parse(checkpoint.until)))
    const [created] = await log.readStream(webhookStream(webhookId), 0, 1)
    return furthest(created?.position ?? null, before)
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
}
