/**
 * What is read of the embedded log's file, apart from what a write reads.
 *
 * @module
 */
import type { DatabaseSync } from 'node:sqlite'
import { type Position, StoreUnavailable } from '../event-log.ts'
import { type EventRow, OF_ACCOUNT } from './rows.ts'

export class SqliteReads {
  private readonly ofStream
  private readonly ofAll
  private readonly ofAccount
  private readonly lastPosition

  constructor(db: DatabaseSync) {
    this.ofStream = db.prepare(
      'SELECT * FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?',
    )
    this.ofAll = db.prepare('SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?')
    this.ofAccount = db.prepare(
      `SELECT * FROM events WHERE ${OF_ACCOUNT} = ? AND position > ? ORDER BY position LIMIT ?`,
    )
    this.lastPosition = db.prepare('SELECT max(position) AS last FROM events')
  }

  stream(stream: string, from: number, limit: number): EventRow[] {
    return reading(() => this.ofStream.all(stream, from, limit)) as EventRow[]
  }

  all(after: number, limit: number): EventRow[] {
    return reading(() => this.ofAll.all(after, limit)) as EventRow[]
  }

  account(account: string, after: number, limit: number): EventRow[] {
    return reading(() => this.ofAccount.all(account, after, limit)) as EventRow[]
  }

  /** The position of the last event, null when there is none. */
  last(): Position | null {
    return (reading(() => this.lastPosition.get()) as { last: number | null }).last as Position | null
  }
}

/** @throws {StoreUnavailable} instead of what the file throws */
export function reading<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new StoreUnavailable(`the log could not be read: ${(cause as Error).message}`, { cause })
  }
}
