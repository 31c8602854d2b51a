/**
 * The embedded event log: one SQLite file, safe for several processes.
 *
 * @module
 */
import type { DatabaseSync } from 'node:sqlite'
import { nextTurn } from '../../async/delay.ts'
import { clearInterval, setImmediate, setInterval, type Timer } from '../../async/timers.ts'
import { BoundedCache } from '../../bounded-cache.ts'
import type { AccountId, StreamName } from '../../domain/ids.ts'
import { knownEvent } from '../../domain/known-event.ts'
import { checkpointInBackground } from '../../sqlite/checkpoints.ts'
import { Commits, type Disk, WroteNothing } from '../../sqlite/commits.ts'
import { isDamaged, openDatabase } from '../../sqlite/open.ts'
import { orUnavailable } from '../away.ts'
import { type Encoded, encode } from '../encoded.ts'
import {
  type Appended,
  type AppendOptions,
  type EventLog,
  type Expected,
  type LogBatch,
  type LogOptions,
  type NewEvent,
  type Position,
  type Recorded,
  StoreUnavailable,
  WrongExpectedRevision,
} from '../event-log.ts'
import { batches, Live, type SubscribeOptions } from '../live.ts'
import { type EventRow, logId, queriesOf, recorded, SCHEMA, TRIAL } from './rows.ts'

/** Maximum number of events per query, so that a long read does not block the event loop. */
const PAGE = 500
/** Page cache in MiB. A stream's events are scattered over the file: a smaller cache makes reads and commits slower. */
const CACHE_MB = 8
/** Interval of checks for writes by other processes, in milliseconds. */
const LOOK_EVERY_MS = 40
/** Number of streams whose last event is cached, about a kilobyte each: most reads only ask for newer events. */
const NEWEST_STREAMS = 8192

export type SqliteLogOptions = LogOptions & {
  /** called when a read or a write meets a damaged page of the file */
  readonly onDamaged?: (error: unknown) => void
  /** the disk that holds the file; tests replace it */
  readonly disk?: Disk
}

/**
 * Opens or creates the log in a file.
 *
 * @param path a file, or `:memory:` for a private log of this process
 */
export function openSqliteLog(path: string, options: SqliteLogOptions = {}): SqliteLog {
  const db = openDatabase(path, CACHE_MB)
  db.exec(SCHEMA)
  return new SqliteLog(path, db, logId(db), options)
}

export class SqliteLog implements EventLog {
  /** Shared with the small artifacts, which are stored in the same file. */
  readonly commits: Commits
  private readonly endCheckpoints: () => Promise<void>
  private readonly queries: ReturnType<typeof queriesOf>
  /** the last durable event of recently used streams; cleared when another connection writes */
  private readonly newest = new BoundedCache<StreamName, Recorded>(NEWEST_STREAMS)
  private version = -1
  private looked = false
  /** what the last transaction has written and not published, and the `version` at its start */
  private pending = { events: [] as Recorded[], version: -1 }
  private readonly live = new Set<Live>()
  private timer: Timer | undefined
  readonly writable = (): Promise<void> => this.commits.recovered(() => this.db.exec(TRIAL))

  /** @param db shared with the small artifacts */
  constructor(
    path: string,
    readonly db: DatabaseSync,
    readonly id: string,
    private readonly options: SqliteLogOptions,
  ) {
    this.endCheckpoints = checkpointInBackground(path, db)
    const hooks = {
      begun: () => {
        this.look()
        this.pending = { events: [], version: this.version }
      },
      committed: (ms: number) => {
        options.onCommit?.(ms)
        this.publish()
      },
      unavailable: (cause: unknown) => {
        this.noticeDamage(cause)
        return new StoreUnavailable('the log could not be written', { cause })
      },
    }
    this.commits = new Commits(db, path, hooks, options.disk)
    this.queries = queriesOf(db)
  }

  append(
    stream: StreamName,
    expected: Expected,
    events: readonly NewEvent[],
    options: AppendOptions = {},
  ): Promise<Appended> {
    if (events.length === 0) throw new TypeError('an append needs an event')
    let encoded: readonly Encoded[]
    try {
      encoded = encode(stream, events)
    } catch (error) {
      return Promise.reject(error)
    }
    return this.commits.write(() => this.write(stream, expected, encoded), options.after)
  }

  async readStream(
    stream: StreamName,
    from = 0,
    limit = Number.MAX_SAFE_INTEGER,
  ): Promise<readonly Recorded[]> {
    // Events that are not durable yet must not be read: a power cut would undo them.
    if (this.pending.events.some((recorded) => recorded.stream === stream)) await this.commits.settled
    // All requests handled in one turn of the event loop were sent before it began, so one check serves all of them.
    if (!this.looked) {
      this.looked = true
      setImmediate(() => {
        this.looked = false
      })
      this.reading(() => this.look())
    }
    const newest = this.newest.get(stream)
    if (newest && from >= newest.revision) return from > newest.revision ? [] : [newest].slice(0, limit)
    const read: Recorded[] = []
    for (;;) {
      const page = Math.min(PAGE, limit - read.length)
      const rows = this.reading(() => this.queries.ofStream.all(stream, from + read.length, page))
      for (const row of rows) read.push(recorded(row as EventRow))
      if (read.length === limit) return read
      if (rows.length < page) break
      await nextTurn()
    }
    const last = read.at(-1) ?? (from > 0 ? this.lastOf(stream) : undefined)
    if (last) this.newest.set(stream, last)
    return read
  }

  async *subscribe(after: Position | null, options: SubscribeOptions): AsyncGenerator<LogBatch> {
    const live = new Live()
    this.join(live)
    try {
      yield* batches(live, after, options, {
        page: (from) => this.readAll(from, PAGE),
        head: async () => this.last(),
        failed: (error) => this.failed(error),
      })
    } finally {
      this.leave(live)
    }
  }

  async readAll(after: Position | null, limit: number): Promise<readonly Recorded[]> {
    await this.commits.settled
    return this.rows(after ?? 0, limit).map(recorded)
  }

  async readAccount(account: AccountId, after: Position | null, limit: number): Promise<readonly Recorded[]> {
    await this.commits.settled
    const rows = this.reading(() => this.queries.ofAccount.all(account, after ?? 0, limit)) as EventRow[]
    return rows.map(recorded)
  }

  async head(): Promise<Position | null> {
    this.reading(() => this.commits.checkFiles())
    return this.last()
  }

  async lastEvent(): Promise<Recorded | undefined> {
    const head = await this.head()
    return head === null ? undefined : (await this.readAll((head - 1) as Position, 1))[0]
  }

  async knows(position: Position): Promise<boolean> {
    return position <= ((await this.head()) ?? 0)
  }

  async close(): Promise<void> {
    await this.commits.close()
    clearInterval(this.timer)
    await this.endCheckpoints()
    this.db.close()
  }

  /** Rows after a position, at most `limit`, for copying the log. */
  rows(after: number, limit: number): EventRow[] {
    return this.reading(() => this.queries.ofAll.all(after, limit)) as EventRow[]
  }

  private last(): Position | null {
    return (this.reading(() => this.queries.lastPosition.get()) as { last: Position | null }).last
  }

  /** Inside a transaction: checks the revision, then writes. */
  private write(stream: StreamName, expected: Expected, encoded: readonly Encoded[]): Appended {
    const from = expected === 'no-stream' ? 0 : expected + 1
    const isKnown = from === 0 || this.newest.get(stream)?.revision === from - 1
    // The insert detects whether the stream already continues behind that revision.
    if (!isKnown && !this.queries.hasRevision.get(stream, from - 1))
      return this.repeated(stream, expected, from, encoded)
    for (const [i, { id, type, data, meta, event }] of encoded.entries()) {
      const revision = from + i
      const { changes, lastInsertRowid } = this.queries.insert.run(stream, revision, id, type, data, meta)
      if (Number(changes) === 0) return this.repeated(stream, expected, from, encoded)
      const position = Number(lastInsertRowid) as Position
      const known = knownEvent(type, Number(event.meta.v), event.event.data)
      this.pending.events.push({ id, stream, revision, type, meta: event.meta, position, event: known })
    }
    return { revision: from + encoded.length - 1 }
  }

  /** The stream is past the expected revision. That is a success if it continues with exactly these events. */
  private repeated(
    stream: StreamName,
    expected: Expected,
    from: number,
    encoded: readonly Encoded[],
  ): Appended {
    const there = this.queries.idsFrom.all(stream, from, encoded.length) as { id: string }[]
    if (!encoded.every(({ id }, i) => id === there[i]?.id))
      throw new WroteNothing(
        new WrongExpectedRevision(stream, expected, this.lastOf(stream)?.revision ?? null),
      )
    return { revision: from + encoded.length - 1 }
  }

  private lastOf(stream: StreamName): Recorded | undefined {
    const row = this.queries.lastOfStream.get(stream) as EventRow | undefined
    return row && recorded(row)
  }

  /** If another connection has written: clears the cache of last events and makes subscribers read the file. */
  private look(): void {
    const { data_version } = this.queries.dataVersion.get() as { data_version: number }
    if (data_version === this.version) return
    this.version = data_version
    this.newest.clear()
    for (const live of this.live) live.missed()
  }

  private publish(): void {
    const events = this.pending.events.splice(0)
    if (events.length === 0) return
    // While the disk synced, another connection may have written further events of these streams.
    if (this.version === this.pending.version)
      for (const event of events) this.newest.set(event.stream, event)
    for (const live of this.live) live.push(events)
  }

  private join(live: Live): void {
    this.live.add(live)
    this.timer ??= setInterval(() => {
      try {
        this.look()
      } catch (error) {
        this.failed(error)
      }
    }, LOOK_EVERY_MS)
  }

  private reading<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      this.noticeDamage(error)
      return orUnavailable('the log could not be read', () => {
        throw error
      })
    }
  }

  private noticeDamage(error: unknown): void {
    if (isDamaged(error)) this.options.onDamaged?.(error)
  }

  private failed(error: unknown): void {
    if (this.options.onFailure) this.options.onFailure(error)
    else process.emitWarning(`The event log could not be read; retrying: ${error}`)
  }

  private leave(live: Live): void {
    this.live.delete(live)
    if (this.live.size > 0) return
    clearInterval(this.timer)
    this.timer = undefined
  }
}
