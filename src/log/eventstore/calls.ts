/**
 * Reads from EventStoreDB with timeouts, so that they end whatever the server does.
 *
 * @module
 */
import type {
  AllStreamResolvedEvent,
  AllStreamSubscription,
  EventStoreDBClient,
  ReadStreamOptions,
  ResolvedEvent,
  StreamingRead,
} from '@eventstore/db-client'
import { clearTimeout, setTimeout } from '../../async/timers.ts'
import { StoreUnavailable } from '../event-log.ts'
import { positionPair } from './events.ts'

/** How long a read may stay without an event, in milliseconds. A request must be answered within two seconds. */
export const READ_MS = 1500

/** The error of a timeout. */
export const late = (): StoreUnavailable => new StoreUnavailable('EventStoreDB did not answer in time')

/** A stream object of the client: a read of stored events, or a subscription. */
type Events = AllStreamSubscription | StreamingRead<ResolvedEvent> | StreamingRead<AllStreamResolvedEvent>

/**
 * Reads events until `each` returns true or there are no more events.
 *
 * @param open begins the read. It must call `alive` on signs of life without events, which restarts the timeout
 * @param each called with each event; returns true to stop
 * @throws {StoreUnavailable} when nothing arrives for {@link READ_MS}, and in place of the client's errors. An error
 *   that says that a stream does not exist is thrown unchanged
 */
export function readUntil<E extends ResolvedEvent | AllStreamResolvedEvent>(
  open: (alive: () => void) => Events,
  each: (event: E) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => end(late()), READ_MS)
    const events = open(() => timer.refresh())
    const stream = events as unknown as NodeJS.ReadableStream
    let ended = false
    const end = (error?: unknown) => {
      if (ended) return
      ended = true
      clearTimeout(timer)
      if (error === undefined) resolve()
      else reject(isMissing(error) ? error : unavailable(error))
    }
    // This listener is never removed: an unhandled error after the end would crash the process.
    stream.on('error', end)
    stream.on('end', () => end())
    stream.on('data', (event: E) => {
      if (ended) return
      timer.refresh()
      try {
        if (!each(event)) return
        end()
      } catch (error) {
        end(error)
      }
      void stop(events)
    })
  })
}

/** Ends a stream of the client. Does nothing if the stream has already ended. */
export async function stop(stream: Events): Promise<void> {
  try {
    await ('unsubscribe' in stream ? stream.unsubscribe() : stream.cancel())
  } catch {
    // The stream never began. Its error listener was called.
  }
}

/**
 * The client's errors are distinguished by `type`: all have the same name, and some are not of the client's classes.
 */
export const typeOf = (error: unknown): unknown => (error as { type?: unknown } | null)?.type

/** The stream does not exist: it was never created, or it was deleted. */
const isMissing = (error: unknown): boolean =>
  typeOf(error) === 'stream-not-found' || typeOf(error) === 'stream-deleted'

/** Converts an error of the client to our own, without its attachments, which would flood the process's log. */
export function unavailable(error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error
  const message = error instanceof Error ? error.message.trim() : String(error)
  const type = typeOf(error)
  const cause = Object.assign(new Error(message), { type })
  const reason = message || String(type ?? 'no reason given')
  return new StoreUnavailable(`EventStoreDB is not available: ${reason}`, { cause })
}

/**
 * Lets identical requests share a call. A request only shares a call that begins after the request, so it sees
 * everything that was written before it. Many concurrent requests cost one or two calls.
 */
export class SharedCalls<T> {
  private readonly calls = new Map<string, { running: Promise<T>; next: Promise<T> | undefined }>()

  ask(key: string, call: () => Promise<T>): Promise<T> {
    const known = this.calls.get(key)
    if (!known) return this.begin(key, call)
    const begin = () => this.begin(key, call)
    known.next ??= known.running.then(begin, begin)
    return known.next
  }

  private begin(key: string, call: () => Promise<T>): Promise<T> {
    const entry = { running: call(), next: undefined }
    this.calls.set(key, entry)
    const done = () => {
      if (this.calls.get(key) === entry && entry.next === undefined) this.calls.delete(key)
    }
    entry.running.then(done, done)
    return entry.running
  }
}

/**
 * Reads a stream until `each` returns true; reads nothing if the stream does not exist.
 *
 * @throws {StoreUnavailable}
 */
export async function readStream(
  client: EventStoreDBClient,
  stream: string,
  options: ReadStreamOptions,
  each: (event: ResolvedEvent) => boolean,
): Promise<void> {
  try {
    await readUntil(() => client.readStream(stream, { ...options, requiresLeader: true }), each)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

/**
 * The event at a position; undefined when no event begins there, which the server reports as an unknown
 * error.
 *
 * @throws {StoreUnavailable}
 */
export async function eventAt(
  client: EventStoreDBClient,
  position: number,
): Promise<AllStreamResolvedEvent | undefined> {
  const from = { fromPosition: positionPair(position), maxCount: 1, requiresLeader: true }
  let first: AllStreamResolvedEvent | undefined
  const each = (resolved: AllStreamResolvedEvent) => {
    first = resolved
    return true
  }
  try {
    await readUntil(() => client.readAll(from), each)
  } catch (error) {
    if (typeOf((error as Error).cause) !== 'unknown') throw error
  }
  return first
}
