import type { ResolvedEvent } from '@eventstore/db-client'
import pLimit from 'p-limit'
import { clock } from '../../async/clock.ts'
import { KeyedMutex } from '../../async/keyed-mutex.ts'
import { retry } from '../../async/retry.ts'
import { ConfigError } from '../../config.ts'
import type { StreamName } from '../../domain/ids.ts'
import { type Encoded, encode } from '../encoded.ts'
import {
  type Appended,
  type AppendOptions,
  type EventLog,
  EventTooLarge,
  type Expected,
  isUnavailable,
  type LogBatch,
  type LogOptions,
  LogReplaced,
  type NewEvent,
  type Position,
  type Recorded,
  WrongExpectedRevision,
} from '../event-log.ts'
import { batches, Live, type SubscribeOptions } from '../live.ts'
import { Appends } from './appends.ts'
import { eventAt, readStream, readUntil, SharedCalls, typeOf } from './calls.ts'
import { type Connection, connect } from './connection.ts'
import { recordedOf } from './events.ts'
import { EventstoreFeed, subscribeAfter } from './feed.ts'
import { Head } from './head.ts'
import { Identity } from './identity.ts'

export type EventstoreLogOptions = LogOptions & {
  /** how long to wait for the server at the start, in milliseconds; 10 seconds by default */
  readonly waitMs?: number
}

const START_WAIT_MS = 10_000
/** First delay between two attempts, in milliseconds. */
const RETRY_MS = 50
const LONGEST_RETRY_MS = 500
/** How long a failed read is retried, in milliseconds. Together with the read timeout this is less than two seconds. */
const AGAIN_MS = 400
const AGAIN_PAUSE_MS = 20
/** Timeout of an append with all its attempts, in milliseconds. A request must be answered within two seconds. */
const APPEND_MS = 1500
/** Minimum time for an append that had to wait for others, in milliseconds. */
const LEAST_MS = 300
/** Page size of a subscription that has to catch up, in events. */
const PAGE = 2000
/** Maximum number of pages read concurrently: each read is a subscription. */
const PAGES_AT_ONCE = 16

/**
 * Opens the log, and creates it if the server has none.
 *
 * @param url a connection string
 * @throws {ConfigError} for an invalid connection string, or a user that may not read
 * @throws {StoreUnavailable} when the server is not available in time
 */
export async function openEventstoreLog(url: string, options: EventstoreLogOptions = {}): Promise<EventLog> {
  const connection = connect(url)
  const appends = new Appends(connection.openAppends)
  const isRefused = (error: unknown) => typeOf((error as Error).cause) === 'access-denied'
  let hasFailed = false
  try {
    return await retry(
      async () => {
        const identity = await Identity.open(connection.calls, appends)
        const log = new EventstoreLog(connection, appends, identity, options)
        // Detects at the start a user that may not read $all.
        await log.head()
        return log
      },
      {
        when: (error) => isUnavailable(error) && !isRefused(error),
        firstMs: RETRY_MS,
        longestMs: LONGEST_RETRY_MS,
        forMs: options.waitMs ?? START_WAIT_MS,
        onRetry: (error) => {
          if (!hasFailed) options.onFailure?.(error)
          hasFailed = true
        },
      },
    )
  } catch (error) {
    await connection.close()
    if (!isRefused(error)) throw error
    throw new ConfigError(
      'EventStoreDB denies access to the user in EVENTSTORE_URL. Use a user that may read $all, such as a member of $admins.',
    )
  }
}

class EventstoreLog implements EventLog {
  private readonly streams = new KeyedMutex()
  private readonly reads = new SharedCalls<readonly Recorded[]>()
  private readonly heads = new SharedCalls<number>()
  private readonly pages = pLimit(PAGES_AT_ONCE)
  private readonly feed: EventstoreFeed
  private readonly newest: Head

  constructor(
    private readonly connection: Connection,
    private readonly appends: Appends,
    private readonly identity: Identity,
    private readonly options: EventstoreLogOptions,
  ) {
    this.newest = new Head(connection.calls, identity.floor)
    this.feed = new EventstoreFeed({
      client: connection.subscriptions,
      head: () => this.last(),
      check: () => this.check(),
      saw: (event) => identity.saw(event),
      onFailure: (error) => this.failed(error),
    })
  }

  get id(): string {
    return this.identity.id
  }

  async append(
    stream: StreamName,
    expected: Expected,
    events: readonly NewEvent[],
    { after = [] }: AppendOptions = {},
  ): Promise<Appended> {
    if (events.length === 0) throw new TypeError('an append needs an event')
    const until = clock.monotonic() + APPEND_MS
    const encoded = encode(stream, events)
    // If sent earlier, it could succeed on top of events of another process even though one of these fails.
    await Promise.all(after)
    // The server (23.10) does not answer a repeat while the original is being replicated.
    return this.streams.run(stream, () => this.write(stream, expected, encoded, until))
  }

  /** Identical concurrent reads, such as those of all requests with one API key, share calls. */
  readStream(stream: StreamName, from = 0, limit = Number.MAX_SAFE_INTEGER): Promise<readonly Recorded[]> {
    return this.reads.ask(`${from} ${limit} ${stream}`, () => again(() => this.read(stream, from, limit)))
  }

  async *subscribe(after: Position | null, options: SubscribeOptions): AsyncGenerator<LogBatch> {
    const live = new Live()
    this.feed.join(live)
    try {
      yield* batches(live, after, options, {
        page: (from) => this.readAll(from, PAGE),
        head: () => this.head(),
        failed: (error) => this.failed(error),
      })
    } finally {
      this.feed.leave(live)
    }
  }

  /** Reads the events up to our last one by a filtered subscription that ends there. */
  async readAll(after: Position | null, limit: number): Promise<readonly Recorded[]> {
    const from = after ?? 0
    const last = await this.last()
    if (last <= from) return []
    const events: Recorded[] = []
    await this.pages(() =>
      readUntil(
        (alive) => subscribeAfter(this.connection.subscriptions, from, alive),
        (resolved) => {
          const recorded = recordedOf(resolved)
          if (!recorded) return false
          events.push(recorded)
          return recorded.position >= last || events.length >= limit
        },
      ),
    )
    return events
  }

  async head(): Promise<Position | null> {
    const last = await this.last()
    return last === 0 ? null : (last as Position)
  }

  async lastEvent(): Promise<Recorded | undefined> {
    const last = await this.last()
    const resolved = last === 0 ? undefined : await eventAt(this.connection.calls, last)
    return resolved && recordedOf(resolved)
  }

  async knows(position: Position): Promise<boolean> {
    if (position === 0) return true
    if (position > (await this.last())) return false
    if ((await eventAt(this.connection.calls, position))?.event) return true
    // An answer here proves that the position was wrong and not that the server failed.
    await this.last()
    return false
  }

  async close(): Promise<void> {
    await this.feed.close()
    await this.connection.close()
  }

  private async check(): Promise<void> {
    try {
      await this.identity.check()
    } catch (error) {
      if (error instanceof LogReplaced) this.newest.forget(this.identity.floor)
      throw error
    }
  }

  private last(): Promise<number> {
    return this.heads.ask('', () => again(() => this.newest.find()))
  }

  private async read(stream: StreamName, from: number, maxCount: number): Promise<readonly Recorded[]> {
    const events: Recorded[] = []
    const each = (resolved: ResolvedEvent) => {
      const recorded = recordedOf(resolved)
      if (!recorded) return false
      events.push(recorded)
      this.identity.saw(recorded)
      return false
    }
    await readStream(this.connection.calls, stream, { fromRevision: BigInt(from), maxCount }, each)
    return events
  }

  /** Appends until the outcome is known: an append with an unknown outcome is repeated identically. */
  private write(
    stream: StreamName,
    expected: Expected,
    events: readonly Encoded[],
    until: number,
  ): Promise<Appended> {
    const began = clock.monotonic()
    const ms = Math.max(LEAST_MS, until - began)
    return retry(
      async () => {
        const left = Math.max(1, began + ms - clock.monotonic())
        const outcome = await this.appends.append(stream, expected, events, left)
        if (outcome.kind === 'wrong-revision') return this.repeated(stream, expected, events, outcome.actual)
        if (outcome.kind === 'too-large') throw new EventTooLarge(`an append to ${stream} exceeds 1 MiB`)
        const [id, { position }] = [events.at(-1)?.id, outcome]
        if (id !== undefined && position !== undefined) this.identity.saw({ id, position })
        this.options.onCommit?.(clock.monotonic() - began)
        return { revision: outcome.revision }
      },
      // No attempt begins when there is hardly any time left for its answer.
      { when: isUnavailable, firstMs: RETRY_MS, forMs: ms - RETRY_MS },
    )
  }

  /**
   * The stream is past the expected revision. That is a success if it continues with exactly these events. The server
   * recognizes only repeats of whole appends.
   */
  private async repeated(
    stream: StreamName,
    expected: Expected,
    events: readonly Encoded[],
    actual: number | null,
  ): Promise<Appended> {
    const from = expected === 'no-stream' ? 0 : expected + 1
    const last = from + events.length - 1
    if (actual !== null && actual >= last) {
      const there = await this.read(stream, from, events.length)
      if (events.every(({ id }, i) => id === there[i]?.id)) return { revision: last }
    }
    throw new WrongExpectedRevision(stream, expected, actual)
  }

  private failed(error: unknown): void {
    if (this.options.onFailure) this.options.onFailure(error)
    else process.emitWarning(`EventStoreDB could not be read; retrying: ${error}`)
  }
}

/** Retries a read: the first call to a failed node fails, and the client finds another node for the next call. */
const again = <T>(read: () => Promise<T>): Promise<T> =>
  retry(read, { when: isUnavailable, firstMs: AGAIN_PAUSE_MS, forMs: AGAIN_MS })
