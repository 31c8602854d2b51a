/**
 * The event log's port: what a back end must do, all of it. test/contract/event-log.ts is its meaning in detail.
 *
 * @module
 */
import type { DomainEvent, Metadata } from '../domain/events.ts'
import type { AccountId, Category, EventId, StreamName } from '../domain/ids.ts'

declare const brand: unique symbol
/** A place in the log, counted by the log that made it: only its order means anything. A safe integer. */
export type Position = number & { readonly [brand]: 'Position' }

/** The later one of two positions. */
export const furthest = (a: Position | null, b: Position | null): Position | null =>
  (a ?? 0) > (b ?? 0) ? a : b

/** An event to be written. `id` is made once for a command and kept through all its retries. A UUID in lower case. */
export type NewEvent = { readonly id: EventId; readonly event: DomainEvent; readonly meta: Metadata }

/** An event as it stands in the log; `event` is undefined for a type that this program does not know. */
export type Recorded = {
  readonly id: EventId
  readonly stream: StreamName
  /** place in its stream, from 0 */
  readonly revision: number
  readonly position: Position
  readonly type: string
  readonly event: DomainEvent | undefined
  readonly meta: Metadata
}

/** Where an append must find its stream: without any event, or with this revision as its last. */
export type Expected = 'no-stream' | number

/** An append that was written: the revision of its last event. */
export type Appended = { readonly revision: number }

export type AppendOptions = {
  /**
   * Writes of this process that must be there first: appends, artifacts. When one fails, this append fails with the
   * same error and writes nothing. A back end that knows them may write all at once; any other waits for them.
   */
  readonly after?: readonly (Promise<unknown> | undefined)[] | undefined
}

/** What a subscription brings: events in order, and after the last one that was there when asked, that it has caught up. */
export type Delivery =
  | { readonly kind: 'events'; readonly events: readonly Recorded[] }
  | { readonly kind: 'caught-up'; readonly position: Position | null }

export interface EventLog {
  /**
   * Which log this is: positions of another log mean nothing here. 16 letters and digits. It changes only when the log
   * was set back to a backup or replaced, which subscriptions tell; see {@link LogReplaced}.
   */
  readonly id: string

  /**
   * Writes all events or none, durably. Repeating an append with the same ids at the same place is a success and
   * writes nothing.
   *
   * @throws {WrongExpectedRevision} when the stream is not where `expected` says
   * @throws {EventTooLarge} when an event has more than 64 KiB
   * @throws {StoreUnavailable} when the outcome is unknown: repeat the identical append
   */
  append(
    stream: StreamName,
    expected: Expected,
    events: readonly NewEvent[],
    options?: AppendOptions,
  ): Promise<Appended>

  /** The events of a stream from a revision on, in order, at most `limit`; none when there is no such stream. */
  readStream(stream: StreamName, from?: number, limit?: number): Promise<readonly Recorded[]>

  /**
   * All events after a position (from the start when null), of some categories or of all, first what is there, then
   * what comes, until `signal` aborts. It heals itself: whatever else fails does not end it.
   *
   * @throws {LogReplaced} when the log was set back or replaced: what was read before may not be there any more
   */
  subscribe(
    after: Position | null,
    options: { readonly categories?: readonly Category[]; readonly signal: AbortSignal },
  ): AsyncIterable<Delivery>

  /** Up to `limit` events after a position, of all streams. For feeds, which come and go. */
  readAll(after: Position | null, limit: number): Promise<readonly Recorded[]>

  /**
   * Up to `limit` events of one account after a position, at a cost that does not grow with the events of others. Only
   * where the log has an index for it; elsewhere the read model `account_events` stands in.
   */
  readAccount?(account: AccountId, after: Position | null, limit: number): Promise<readonly Recorded[]>

  /** The position of the last event, null when there is none. */
  head(): Promise<Position | null>

  /** Whether a position is one of this log, or 0, from where on all events come; one beyond its end is not. */
  knows(position: Position): Promise<boolean>

  close(): Promise<void>
}

/** The stream is not where the append expected it; `actual` is its last revision, null when it has no event. */
export class WrongExpectedRevision extends Error {
  override readonly name = 'WrongExpectedRevision'
  constructor(
    readonly stream: StreamName,
    readonly expected: Expected,
    readonly actual: number | null,
  ) {
    super(`${stream} is at ${actual ?? 'no event'}, not at ${expected}`)
  }
}

/** The store did not answer in time, or refused: what was asked may have happened or not. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** Whether a failure may pass when the store is asked again: the `when` of a retry. */
export const isUnavailable = (error: unknown): boolean => error instanceof StoreUnavailable

/**
 * The log is not the one that it was: it was set back to a backup, or is another one under the same address. It has
 * another id from now on, and no position and no revision from before counts.
 */
export class LogReplaced extends Error {
  override readonly name = 'LogReplaced'
  constructor() {
    super('the event log was set back to a backup, or replaced by another one')
  }
}

/** An event is too large for the log; a defect of who made it. */
export class EventTooLarge extends Error {
  override readonly name = 'EventTooLarge'
}

/** The largest event, data and metadata together, in bytes. */
export const MAX_EVENT_BYTES = 64 * 1024
