/**
 * Encodes events as JSON and enforces the log's size limit.
 *
 * @module
 */
import type { EventType } from '../domain/events.ts'
import type { EventId, StreamName } from '../domain/ids.ts'
import { EventTooLarge, MAX_EVENT_BYTES, type NewEvent } from './event-log.ts'

/** An event with its data and metadata as JSON. */
export type Encoded = {
  readonly id: EventId
  readonly type: EventType
  readonly data: string
  readonly meta: string
  readonly event: NewEvent
}

/** @throws {EventTooLarge} */
export const encode = (stream: StreamName, events: readonly NewEvent[]): Encoded[] =>
  events.map((event) => {
    const [data, meta] = [JSON.stringify(event.event.data), JSON.stringify(event.meta)]
    if (Buffer.byteLength(data) + Buffer.byteLength(meta) > MAX_EVENT_BYTES)
      throw new EventTooLarge(`${event.event.type} on ${stream} exceeds 64 KiB`)
    return { id: event.id, type: event.event.type, data, meta, event }
  })
