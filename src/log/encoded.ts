/**
 * Events as texts, no larger than a log takes them.
 *
 * @module
 */
import type { StreamName } from '../domain/ids.ts'
import { EventTooLarge, MAX_EVENT_BYTES, type NewEvent } from './event-log.ts'

/** An event with its data and metadata as JSON. */
export type Encoded = { readonly event: NewEvent; readonly data: string; readonly meta: string }

/** @throws {EventTooLarge} */
export function encode(stream: StreamName, events: readonly NewEvent[]): Encoded[] {
  let meta = ''
  return events.map((event, i) => {
    if (event.meta !== events[i - 1]?.meta) meta = JSON.stringify(event.meta)
    return encodeOne(stream, event, meta)
  })
}

function encodeOne(stream: StreamName, event: NewEvent, meta: string): Encoded {
  const data = JSON.stringify(event.event.data)
  // A character is 3 bytes at most: short ones need not be counted.
  if (
    data.length + meta.length > MAX_EVENT_BYTES / 3 &&
    Buffer.byteLength(data) + Buffer.byteLength(meta) > MAX_EVENT_BYTES
  ) {
    throw new EventTooLarge(`${event.event.type} on ${stream} has over 64 KiB`)
  }
  return { event, data, meta }
}
