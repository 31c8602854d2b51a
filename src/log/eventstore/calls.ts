/**
 * Reads of EventStoreDB that end in time, whatever the server does.
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

/** How long a read may bring nothing, in milliseconds. A request must be answered within two seconds. */
export const READ_MS = 1500

/** What an answer that does not come in time is. */
export const late = (): StoreUnavailable => new StoreUnavailable('EventStoreDB did not answer in time')

/** A stream of the client's, of events that are stored or of a subscription. */
type Events = AllStreamSubscription | StreamingRead<ResolvedEvent> | StreamingRead<AllStreamResolvedEvent>

/**
 * Reads events until `each` has enough or there are no more.
 *
 * @param open begins the read. It is given what to call when it lives though it brings nothing
 * @param each told of each event; returns true for enough
 * @throws {StoreUnavailable} when nothing comes for {@link READ_MS}, and instead of what the client throws; what says
 *   that a stream is not there is thrown as it is
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
    // It stays: an error that comes after the end must not end the process.
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

/** Ends a stream of the client's; that it has ended already is no error. */
export async function stop(stream: Events): Promise<void> {
  try {
    await ('unsubscribe' in stream ? stream.unsubscribe() : stream.cancel())
  } catch {
    // It never began: its error was told to its listener.
  }
}

/** Errors of the client are told apart by `type`: all have the same name, and not all are of its classes. */
export const typeOf = (error: unknown): unknown => (error as { type?: unknown } | null)?.type

/** There is no such stream: it never was, or it was deleted. */
const isMissing = (error: unknown): boolean =>
  typeOf(error) === 'stream-not-found' || typeOf(error) === 'stream-deleted'

/** The client's error as our own, without its attachments, which would fill a log. */
export function unavailable(error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error
  const said = error instanceof Error ? error.message.trim() : String(error)
  const type = typeOf(error)
  const cause = Object.assign(new Error(said), { type })
  const reason = said || String(type ?? 'no reason given')
  return new StoreUnavailable(`EventStoreDB is not available: ${reason}`, { cause })
}

/**
 * Calls that ask the same share an answer, but only one that began after all of them: so each sees what was written
 * before it was asked, and many at once cost one or two calls.
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
 * Reads a stream until `each` has enough; none of a stream that is not there.
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
 * The id of the event at a position; undefined when no event begins there, which the server says as if it had failed.
 *
 * @throws {StoreUnavailable}
 */
export async function eventAt(client: EventStoreDBClient, position: number): Promise<string | undefined> {
  const from = { fromPosition: positionPair(position), maxCount: 1, requiresLeader: true }
  let id: string | undefined
  const each = ({ event }: AllStreamResolvedEvent) => {
    id = event?.id
    return true
  }
  try {
    await readUntil(() => client.readAll(from), each)
  } catch (error) {
    if (typeOf((error as Error).cause) !== 'unknown') throw error
  }
  return id
}
