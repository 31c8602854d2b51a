/**
 * The tables and rows of the embedded log's file.
 *
 * @module
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Metadata } from '../../domain/events.ts'
import type { EventId, StreamName } from '../../domain/ids.ts'
import { knownEvent } from '../../domain/known-event.ts'
import { randomBytes } from '../../random.ts'
import { MAX_EVENT_BYTES, type Position, type Recorded } from '../event-log.ts'

/** The account of an event, as indexed. SQLite uses the index only for an expression with exactly this text. */
export const OF_ACCOUNT = "json_extract(meta, '$.account_id')"

/** Events are never deleted, so the primary key yields consecutive positions without AUTOINCREMENT. */
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
CREATE INDEX IF NOT EXISTS events_by_account ON events (${OF_ACCOUNT});
CREATE TABLE IF NOT EXISTS log (id TEXT NOT NULL) STRICT;
`

/** The statements of the log. `insert` changes nothing if the stream already has the revision. */
export const queriesOf = (db: DatabaseSync) => ({
  insert: db.prepare(
    `INSERT INTO events (stream, revision, id, type, data, meta) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (stream, revision) DO NOTHING`,
  ),
  hasRevision: db.prepare('SELECT 1 FROM events WHERE stream = ? AND revision = ?'),
  lastOfStream: db.prepare('SELECT * FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1'),
  idsFrom: db.prepare('SELECT id FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?'),
  ofStream: db.prepare('SELECT * FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?'),
  ofAll: db.prepare('SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?'),
  ofAccount: db.prepare(
    `SELECT * FROM events WHERE ${OF_ACCOUNT} = ? AND position > ? ORDER BY position LIMIT ?`,
  ),
  lastPosition: db.prepare('SELECT max(position) AS last FROM events'),
  dataVersion: db.prepare('PRAGMA data_version'),
})

/** Inside a transaction: needs as much space as the largest event, and leaves nothing. */
export const TRIAL = `
INSERT INTO log (id) VALUES (hex(zeroblob(${MAX_EVENT_BYTES / 2})));
DELETE FROM log WHERE length(id) = ${MAX_EVENT_BYTES};
`

/** The id of the log in a file. It is generated when the log is created. */
export function logId(db: DatabaseSync): string {
  const id = randomBytes(8).toString('hex')
  db.prepare('INSERT INTO log (id) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM log)').run(id)
  return (db.prepare('SELECT id FROM log').get() as { id: string }).id
}

/** Gives a copy of the log an id of its own: from here on it may continue differently. */
export function giveNewId(db: DatabaseSync): void {
  db.prepare('UPDATE log SET id = ?').run(randomBytes(8).toString('hex'))
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
/** The event of a row. */
export function recorded(row: EventRow): Recorded {
  const meta = JSON.parse(row.meta) as Metadata
  return {
    id: row.id as EventId,
    stream: row.stream as StreamName,
    revision: row.revision,
    position: row.position as Position,
    type: row.type,
    event: knownEvent(row.type, Number(meta.v), JSON.parse(row.data)),
    meta,
  }
}
