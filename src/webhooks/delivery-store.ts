/**
 * The port of what the service knows of webhooks beside the log: how far each endpoint has come in its account's feed,
 * which deliveries wait for a try, and what came of the tries of the last 30 days. None of it follows from the log. When
 * it is lost, an endpoint goes on from the checkpoint in its stream: events are sent again, and none is left out.
 *
 * @module
 */
import type { StreamName, WebhookId } from '../domain/ids.ts'
import type { Position } from '../log/event-log.ts'

export type DeliveryState = 'pending' | 'delivered' | 'failed'

/** One try to deliver an event. */
export type Attempt = {
  /** RFC 3339 */
  readonly at: string
  /** of the answer; null without one */
  readonly status: number | null
  readonly duration_ms: number
  /** why there was no answer, or none that counts; null after a success */
  readonly error: string | null
  /** the beginning of the answer's body as text; null without an answer */
  readonly response: string | null
}

/** An event on its way to an endpoint. */
export type Delivery = {
  readonly webhookId: WebhookId
  readonly eventId: string
  /** where its event is in the log: later ones are listed first */
  readonly position: Position
  /** its event's stream and revision, from which the event is read for each try */
  readonly stream: StreamName
  readonly revision: number
  /** name of the event's type, such as `RunSucceeded` */
  readonly type: string
  readonly state: DeliveryState
  /** oldest first */
  readonly attempts: readonly Attempt[]
  /** tries since it was queued or replayed: which wait comes next */
  readonly tries: number
  /** milliseconds since 1970; null unless it is pending */
  readonly nextAt: number | null
  /** replayed while its endpoint was disabled: it has one try, which is made though the endpoint is disabled */
  readonly once: boolean
  /** when it was queued, or replayed last, milliseconds since 1970: it is kept for 30 days from then */
  readonly queuedAt: number
}

/** The health of an endpoint; times are milliseconds since 1970. */
export type EndpointHealth = {
  /** the first failed try since the last success; null when the last try was a success, or there was none */
  readonly failingSince: number | null
  readonly lastSuccessAt: number | null
}

/** How far an endpoint has come. */
export type Cursor = {
  /** id of the log that the position is of: in another log it means nothing */
  readonly logId: string
  /** all events up to here, inclusive, were queued or are not for this endpoint */
  readonly position: Position
}

/** `renewed`: it was the holder's before; `acquired`: what the holder knows of it may be old, or lost with the store. */
export type LeaseAnswer = 'renewed' | 'acquired'

export type DeliveryQuery = {
  /** undefined: all */
  readonly state?: DeliveryState | undefined
  /** of events before this position */
  readonly before?: Position | undefined
  readonly limit: number
}

/** All methods throw {@link StoreUnavailable} when the store is away. Times are milliseconds since 1970. */
export interface DeliveryStore {
  /**
   * Acquires or renews the endpoints that no other holder has: each is one holder's for `forMs` from now. Where one process
   * has the store it has all of them.
   *
   * @param now a store with a clock of its own goes by that one
   * @returns those that are the holder's now
   */
  lease(
    webhooks: readonly WebhookId[],
    holder: string,
    forMs: number,
    now: number,
  ): Promise<ReadonlyMap<WebhookId, LeaseAnswer>>
  /** Gives back those of these endpoints that the holder has. */
  release(webhooks: readonly WebhookId[], holder: string): Promise<void>

  /** Undefined before the first {@link queue}, or when it was lost. */
  cursor(webhook: WebhookId): Promise<Cursor | undefined>
  /**
   * Adds deliveries, each unless there is one of its event, and moves the cursor, in one step.
   *
   * @param from where the cursor must be, null: nowhere, or in another log; left out: it may be anywhere
   * @returns false, and nothing is written, when it is elsewhere: the store was emptied, or another holder has moved it
   */
  queue(
    webhook: WebhookId,
    deliveries: readonly Delivery[],
    cursor: Cursor,
    from?: Position | null,
  ): Promise<boolean>
  /** Writes deliveries, in place of those of the same events. */
  put(deliveries: readonly Delivery[]): Promise<void>
  /** That of an event. */
  find(webhook: WebhookId, eventId: string): Promise<Delivery | undefined>
  /** Pending ones whose time has come, the earliest first. @param onlyOnce only those with `once` */
  due(webhook: WebhookId, now: number, limit: number, onlyOnce?: boolean): Promise<readonly Delivery[]>
  /** The endpoints that have pending deliveries whose time has come. */
  dueWebhooks(now: number): Promise<readonly WebhookId[]>
  /** Of the pending ones that of the earliest event; undefined when none is pending. */
  earliestPending(webhook: WebhookId): Promise<Delivery | undefined>
  /** Later events first. */
  list(webhook: WebhookId, query: DeliveryQuery): Promise<readonly Delivery[]>

  /** Notes what came of a try at a time. */
  noted(webhook: WebhookId, success: boolean, at: number): Promise<EndpointHealth>
  /** Both null for an endpoint without a try. */
  health(webhook: WebhookId): Promise<EndpointHealth>

  /** Deletes deliveries that were queued before a time, pending or not. @returns how many, a bounded number at once */
  sweep(before: number): Promise<number>
  /** Deletes all of an endpoint. */
  forget(webhook: WebhookId): Promise<void>
  close(): Promise<void>
}
