/**
 * How events lie in the embedded log's file.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { Metadata } from '../domain/events.ts'
import type { EventId, StreamName } from '../domain/ids.ts'
import { upcast } from '../domain/upcast.ts'
import { EventTooLarge, MAX_EVENT_BYTES, type NewEvent, type Position, type Recorded } from './event-log.ts'

/** Events are never deleted, so that the next position is the last one's successor without being counted apart. */
export const SCHEMA = `
CREATE TABLE IF NOT EXISTS events (
  position INTEGER PRIMARY KEY,
  stream TEXT NOT NULL,
  revision INTEGER NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  data TEXT NOT NULL,
  meta TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS events_by_stream ON events (stream, revision);
CREATE TABLE IF NOT EXISTS log (id TEXT NOT NULL) STRICT;
`

/** The id of the log in a file, which is made when the log is. */
export function logId(db: DatabaseSync): string {
  db.exec('BEGIN IMMEDIATE')
  const known = db.prepare('SELECT id FROM log').get() as { id: string } | undefined
  const id = known?.id ?? randomBytes(8).toString('hex')
  if (!known) db.prepare('INSERT INTO log (id) VALUES (?)').run(id)
  db.exec('COMMIT')
  return id
}

export type EventRow = {
  position: number
  stream: string
  revision: number
  id: string
  type: string
  data: string
  meta: string
}
/** An event with its texts as they will stand in the file. */
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

/** The event of a row, in its current version. */
export function recorded(row: EventRow): Recorded {
  const meta = JSON.parse(row.meta) as Metadata
  return {
    id: row.id as EventId,
    stream: row.stream as StreamName,
    revision: row.revision,
    position: row.position as Position,
    type: row.type,
    event: upcast(row.type, Number(meta.v), JSON.parse(row.data)),
    meta,
  }
}
