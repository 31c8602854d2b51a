/**
 * The port of the webhook state outside the log: each endpoint's cursor in its account's feed, the pending deliveries,
 * and the results of the attempts of the last 30 days. None of it can be rebuilt from the log. If it is lost, an
 * endpoint continues from the checkpoint in its stream: some events are sent again, and none is left out.
 *
 * @module
 */
import type { StreamName, WebhookId } from '../../domain/ids.ts'
import type { Position } from '../../log/event-log.ts'
import type { EndpointHealth } from '../endpoints/record.ts'

export type DeliveryState = 'pending' | 'delivered' | 'failed'

/** One attempt to deliver an event. */
export type DeliveryAttempt = {
  /** RFC 3339 */
  readonly at: string
  /** the response's status; null without a response */
  readonly status: number | null
  readonly duration_ms: number
  /** the reason of the failure: no response, or not a successful one; null after a success */
  readonly error: string | null
  /** the beginning of the response's body as text; null without a response */
  readonly response: string | null
}

/** The delivery of an event to an endpoint. */
export type WebhookDelivery = {
  readonly webhookId: WebhookId
  readonly eventId: string
  /** its event's position in the log; later events are listed first */
  readonly position: Position
  /** its event's stream and revision, from which the event is read for each attempt */
  readonly stream: StreamName
  readonly revision: number
  /** name of the event's type, such as `RunSucceeded` */
  readonly type: string
  readonly state: DeliveryState
  /** the newest ones, oldest first */
  readonly attempts: readonly DeliveryAttempt[]
  /** number of attempts since it was queued or replayed; selects the next delay */
  readonly attemptsSinceQueued: number
  /** milliseconds since 1970; null unless it is pending */
  readonly nextAt: number | null
  /** replayed while its endpoint was disabled: it gets one attempt, which is made although the endpoint is disabled */
  readonly once: boolean
  /** when it was queued or last replayed, milliseconds since 1970; it is kept for 30 days from then */
  readonly queuedAt: number
}

/** A test of an endpoint: an attempt with an event that is not in the log. */
export type WebhookTest = {
  /** id of its event */
  readonly eventId: string
  /** the time of its event, RFC 3339 */
  readonly time: string
  readonly attempt: DeliveryAttempt
}

/** How many tests of an endpoint are kept. */
export const KEPT_TESTS = 10

/** The progress of an endpoint in its account's feed. */
export type Cursor = {
  /** id of the position's log; in another log the position is meaningless */
  readonly logId: string
  /** all events up to this position, inclusive, were queued or are not for this endpoint */
  readonly position: Position
}

/** `renewed`: the holder already had the lease. `acquired`: the holder's knowledge of the endpoint may be stale. */
export type LeaseAnswer = 'renewed' | 'acquired'

export type DeliveryQuery = {
  /** undefined: all */
  readonly state?: DeliveryState | undefined
  /** only deliveries of events before this position */
  readonly before?: Position | undefined
  readonly limit: number
}

/** All methods throw {@link StoreUnavailable} when the store is unavailable. Times are milliseconds since 1970. */
export interface DeliveryStore {
  /**
   * Acquires or renews the leases of the endpoints that no other holder has, for `forMs` from now. A store that is used
   * by one process only grants all of them.
   *
   * @param now ignored by a store that has its own clock
   * @returns the endpoints that the holder has leased now
   */
  lease(
    webhooks: readonly WebhookId[],
    holder: string,
    forMs: number,
    now: number,
  ): Promise<ReadonlyMap<WebhookId, LeaseAnswer>>
  /** Releases the holder's leases of these endpoints. */
  release(webhooks: readonly WebhookId[], holder: string): Promise<void>

  /** The cursor of an endpoint; undefined before the first {@link queue}, or when it was lost. */
  cursor(webhook: WebhookId): Promise<Cursor | undefined>
  /**
   * Adds deliveries, except for events that already have one, and moves the cursor, atomically.
   *
   * @param from the expected cursor; null: no cursor, or one of another log; omitted: any
   * @returns false, without writing, when the cursor differs: the store was emptied, or another holder has moved it
   */
  queue(
    webhook: WebhookId,
    deliveries: readonly WebhookDelivery[],
    cursor: Cursor,
    from?: Position | null,
  ): Promise<boolean>
  /**
   * Writes deliveries, replacing existing ones of the same events.
   *
   * @param queuedAt the expected `queuedAt` of a single delivery in the store, if it is there; omitted: any
   * @returns false, without writing, when it differs: the delivery was replayed since
   */
  put(deliveries: readonly WebhookDelivery[], queuedAt?: number): Promise<boolean>
  /** The delivery of an event. */
  find(webhook: WebhookId, eventId: string): Promise<WebhookDelivery | undefined>
  /** The pending deliveries that are due, the earliest first. @param onlyOnce only deliveries with `once` */
  due(webhook: WebhookId, now: number, limit: number, onlyOnce?: boolean): Promise<readonly WebhookDelivery[]>
  /** The endpoints that have due deliveries. */
  dueWebhooks(now: number): Promise<readonly WebhookId[]>
  /** The pending delivery with the earliest event; undefined when none is pending. */
  earliestPending(webhook: WebhookId): Promise<WebhookDelivery | undefined>
  /** The deliveries of an endpoint, later events first. */
  list(webhook: WebhookId, query: DeliveryQuery): Promise<readonly WebhookDelivery[]>

  /** Adds a test. The newest {@link KEPT_TESTS} of an endpoint are kept, none for longer than deliveries. */
  tested(webhook: WebhookId, test: WebhookTest): Promise<void>
  /** The tests of an endpoint, the latest first. */
  tests(webhook: WebhookId): Promise<readonly WebhookTest[]>

  /** Records the result of an attempt and its time. @returns the endpoint's new health */
  noted(webhook: WebhookId, success: boolean, at: number): Promise<EndpointHealth>
  /** Forgets since when an endpoint fails. */
  forgive(webhook: WebhookId): Promise<void>
  /** The health of an endpoint; both fields are null before its first attempt. */
  health(webhook: WebhookId): Promise<EndpointHealth>

  /** Deletes deliveries that were queued before a time, pending or not; a bounded number per call. @returns how many */
  sweep(before: number): Promise<number>
  /** Deletes all state of an endpoint. */
  forget(webhook: WebhookId): Promise<void>
  close(): Promise<void>
}
