/**
 * The event log's port: everything that a back end must do. rigs/contract/event-log.ts specifies it in detail.
 *
 * @module
 */
import type { DomainEvent, Metadata } from '../domain/events.ts'
import type { AccountId, EventId, StreamName } from '../domain/ids.ts'

declare const brand: unique symbol
/** A position in the log, assigned by the log. Only the order of positions has a meaning. A safe integer. */
export type Position = number & { readonly [brand]: 'Position' }

/** The later one of two positions. */
export const furthest = (a: Position | null, b: Position | null): Position | null =>
  (a ?? 0) > (b ?? 0) ? a : b

/** An event to be written. `id` is a lower-case UUID, generated once per command and kept through all retries. */
export type NewEvent = { readonly id: EventId; readonly event: DomainEvent; readonly meta: Metadata }

/** An event as stored in the log; `event` is undefined for a type that this program does not know. */
export type Recorded = {
  readonly id: EventId
  readonly stream: StreamName
  /** index in its stream, from 0 */
  readonly revision: number
  readonly position: Position
  readonly type: string
  readonly event: DomainEvent | undefined
  readonly meta: Metadata
}

/** The state that an append expects of its stream: no events, or this last revision. */
export type Expected = 'no-stream' | number

/** A successful append, with the revision of its last event. */
export type Appended = { readonly revision: number }

export type AppendOptions = {
  /**
   * Writes of this process that must be durable first: appends, artifacts. When one fails, this append fails with the
   * same error and writes nothing. A back end that recognizes them may write all of them in one transaction; any other
   * back end waits for them.
   */
  readonly after?: readonly (Promise<unknown> | undefined)[] | undefined
}

/** An item of a subscription: events in order, and one `caught-up` after the last event that existed at its start. */
export type LogBatch =
  | { readonly kind: 'events'; readonly events: readonly Recorded[] }
  | { readonly kind: 'caught-up'; readonly position: Position | null }

/** Options of every back end. */
export type LogOptions = {
  /** called after each commit with its duration in milliseconds */
  readonly onCommit?: (ms: number) => void
  /** called for each failure that is retried; a process warning by default */
  readonly onFailure?: (error: unknown) => void
}

export interface EventLog {
  /**
   * Identifies this log: positions of another log are meaningless here. 16 letters and digits. It changes only when the
   * log was restored from a backup or replaced. Subscriptions report that with {@link LogReplaced}.
   */
  readonly id: string

  /**
   * Writes all events or none, durably. Idempotent: repeating an append with the same ids at the same revision succeeds
   * and writes nothing.
   *
   * @throws {WrongExpectedRevision} when the stream is not at the `expected` revision
   * @throws {EventTooLarge} when an event is larger than 64 KiB
   * @throws {StoreUnavailable} when the outcome is unknown: repeat the identical append
   */
  append(
    stream: StreamName,
    expected: Expected,
    events: readonly NewEvent[],
    options?: AppendOptions,
  ): Promise<Appended>

  /** The events of a stream from a revision on, in order, at most `limit`; none when the stream does not exist. */
  readStream(stream: StreamName, from?: number, limit?: number): Promise<readonly Recorded[]>

  /**
   * All events after a position (from the start when null): first the stored events, then new ones as they arrive,
   * until `signal` aborts. It retries after any other failure.
   *
   * @throws {LogReplaced} when the log was restored or replaced: events that were read before may no longer exist
   */
  subscribe(after: Position | null, options: { readonly signal: AbortSignal }): AsyncIterable<LogBatch>

  /** Up to `limit` events after a position, of all streams. For feeds, whose readers connect and disconnect. */
  readAll(after: Position | null, limit: number): Promise<readonly Recorded[]>

  /**
   * Up to `limit` events of one account after a position, at a cost that does not grow with other accounts' events.
   * Implemented only where the log has an index by account; otherwise the read model `account_events` replaces it.
   */
  readAccount?(account: AccountId, after: Position | null, limit: number): Promise<readonly Recorded[]>

  /** The position of the last event, null when the log is empty. */
  head(): Promise<Position | null>

  /** The last event, undefined when the log is empty. */
  lastEvent(): Promise<Recorded | undefined>

  /**
   * Checks, after an append failed, whether appends succeed again. Implemented only where a log can be read that can't
   * be written.
   *
   * @throws {StoreUnavailable} when they don't
   */
  writable?(): Promise<void>

  /** Whether a position belongs to this log. 0, the start, does; a position beyond the log's end does not. */
  knows(position: Position): Promise<boolean>

  close(): Promise<void>
}

/** The stream is not at the expected revision; `actual` is its last revision, null when the stream has no events. */
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

/** The store timed out or refused the request. The outcome is unknown: the request may or may not have taken effect. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** Whether a failure is transient, so that a retry may succeed. For the `when` option of a retry. */
export const isUnavailable = (error: unknown): boolean => error instanceof StoreUnavailable

/**
 * The log was restored from a backup, or another log is now served under the same address. From now on it has another
 * id, and all earlier positions and revisions are invalid.
 */
export class LogReplaced extends Error {
  override readonly name = 'LogReplaced'
  constructor() {
    super('the event log was restored from a backup or replaced by another one')
  }
}

/** An event is too large for the log: a defect of the code that created it. */
export class EventTooLarge extends Error {
  override readonly name = 'EventTooLarge'
}

/** The largest event, data and metadata together, in bytes. */
export const MAX_EVENT_BYTES = 64 * 1024
