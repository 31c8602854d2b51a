/**
 * Reads of one stream or of all, forwards or backwards.
 *
 * @module
 */
import { streamNotFound } from './answers.ts'
import { joined } from './arena.ts'
import { type Call, CallError, STATUS } from './grpc.ts'
import type { Log, StoredEvent, Stream } from './log.ts'
import type { Filter, ReadRequest } from './requests.ts'
import { firstVisible } from './streams.ts'

/** Events sent with one write. */
export const BATCH = 256

/** Sends the events of a read and ends the call. */
export async function answerRead(call: Call, request: ReadRequest, log: Log): Promise<void> {
  const fromEnd = request.stream !== null && request.from === 'end' && !request.backwards
  if (request.count === 0 || fromEnd) throw new CallError(STATUS.unknown, 'Exception was thrown by handler.')
  if (request.stream === null) await sendEvents(call, request, log.all, rangeOfAll(log, request))
  else await answerStreamRead(call, request, log.stream(request.stream))
  call.end()
}

async function answerStreamRead(call: Call, request: ReadRequest, stream: Stream): Promise<void> {
  if (stream.tombstoned) throw streamDeleted(stream.name)
  if (stream.deleted || stream.events.length === 0) call.send(streamNotFound(stream.name))
  else await sendEvents(call, request, stream.events, rangeOfStream(stream, request))
}

/** The error of every call on a tombstoned stream. */
export function streamDeleted(name: string): CallError {
  return new CallError(STATUS.failedPrecondition, `Event stream '${name}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': encodeURIComponent(name),
  })
}

/** Indexes of the events to be sent: the first one, and the exclusive end. */
type Range = { readonly first: number; readonly end: number }

function rangeOfStream(stream: Stream, { from, backwards }: ReadRequest): Range {
  const [hidden, { length }] = [firstVisible(stream), stream.events]
  const revision = from === 'start' ? 0 : from === 'end' ? length - 1 : from
  return backwards
    ? { first: Math.min(revision, length - 1), end: hidden - 1 }
    : { first: Math.max(revision, hidden), end: length }
}

/**
 * Forwards, the event at the position is the first one; backwards, it is excluded.
 *
 * @throws {CallError} when no record is at the position; forwards it may be beyond the end
 */
function rangeOfAll(log: Log, { from, backwards }: ReadRequest): Range {
  const { all, end } = log
  if (!isPlace(log, from) || (backwards && Number(from) > end)) {
    throw new CallError(STATUS.unknown, 'Unexpected ReadAllResult: Error')
  }
  const start = from === 'start' ? 0 : from === 'end' ? all.length : indexAt(all, from)
  return backwards ? { first: start - 1, end: -1 } : { first: start, end: all.length }
}

/** Whether reads can start at a position: at a record, at the log's start, at its end or beyond. */
export function isPlace({ all, end }: Log, from: ReadRequest['from']): boolean {
  if (typeof from !== 'number' || from === 0 || from >= end) return true
  return all[indexAt(all, from)]?.position === from
}

/** The index of the first event at or after a position. */
export function indexAt(all: readonly StoredEvent[], position: number): number {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (all[middle]!.position < position) low = middle + 1
    else high = middle
  }
  return low
}

export function passes(filter: Filter | null, event: StoredEvent): boolean {
  return !filter || filter.passes(filter.on === 'type' ? event.type : event.stream.name)
}

async function sendEvents(
  call: Call,
  { backwards, count, filter }: ReadRequest,
  events: readonly StoredEvent[],
  { first, end }: Range,
): Promise<void> {
  const step = backwards ? -1 : 1
  let left = count ?? Number.POSITIVE_INFINITY
  for (let at = first; (end - at) * step > 0 && left > 0 && !call.over; ) {
    const batch: StoredEvent[] = []
    for (; (end - at) * step > 0 && batch.length < Math.min(BATCH, left); at += step) {
      if (passes(filter, events[at]!)) batch.push(events[at]!)
    }
    left -= batch.length
    for (const bytes of joined(batch.map(({ slice }) => slice))) call.send(bytes)
    await call.drained()
  }
}
