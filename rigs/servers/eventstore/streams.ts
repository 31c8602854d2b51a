/**
 * The effect of stream metadata: which events of a stream reads show.
 *
 * @module
 */
import { randomUUID } from 'node:crypto'
import type { Proposed, Stream } from './log.ts'

/** The type of the events in `$$<stream>` that describe a stream. */
export const METADATA = '$metadata'
/** The metadata of a softly deleted stream: it truncates before the largest revision, which hides all events. */
export const SOFT_DELETED = '{"$tb":9223372036854775807}'

/** A missing stream. */
export function newStream(name: string): Stream {
  return {
    name,
    events: [],
    tombstoned: false,
    deleted: false,
    described: false,
    truncateBefore: 0,
    // Only the newest metadata applies.
    maxCount: name.startsWith('$$') ? 1 : Number.POSITIVE_INFINITY,
    maxAge: Number.POSITIVE_INFINITY,
  }
}

/** Applies new metadata, which replaces the old. Unreadable JSON has no effect, as on the real server. */
export function describeStream(stream: Stream, metadata: Uint8Array): void {
  const parsed = parse(metadata)
  const number = (key: string, otherwise: number) =>
    typeof parsed[key] === 'number' ? Number(parsed[key]) : otherwise
  stream.described = true
  stream.truncateBefore = number('$tb', 0)
  stream.deleted = stream.truncateBefore > Number.MAX_SAFE_INTEGER
  stream.maxCount = number('$maxCount', Number.POSITIVE_INFINITY)
  stream.maxAge = number('$maxAge', Number.POSITIVE_INFINITY)
}

function parse(metadata: Uint8Array): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(metadata).toString('utf8'))
  } catch {
    return {}
  }
}

/** The metadata event with which an append reopens a softly deleted stream: its old events stay hidden. */
export function reopened(stream: Stream): Proposed {
  return {
    id: randomUUID(),
    type: METADATA,
    contentType: 'application/json',
    data: Buffer.from(JSON.stringify({ $tb: stream.events.length })),
    metadata: new Uint8Array(),
  }
}

/** The revision of the first event that reads show; the number of events when they show none. */
export function firstVisible(stream: Stream): number {
  const { events, truncateBefore, maxCount, maxAge } = stream
  let first = Math.min(events.length, Math.max(truncateBefore, events.length - maxCount))
  const oldest = Date.now() - maxAge * 1000
  while (first < events.length && events[first]!.at < oldest) first++
  return first
}
