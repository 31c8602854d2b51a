/**
 * Reads one account's events with the read model `account_events`, for logs without an index by account. Up to the
 * model's checkpoint, its rows say which streams to read. After it, the log itself is scanned.
 *
 * @module
 */
import pLimit from 'p-limit'
import { type AccountEventsRow, accountEvents, stretchOf } from '../../projections/account-event-index.ts'
import { nextTurn } from '../async/delay.ts'
import type { AccountId, StreamName } from '../domain/ids.ts'
import { type EventLog, furthest, type Position, type Recorded, StoreUnavailable } from '../log/event-log.ts'
import type { LogPage } from '../log/live.ts'
import { type Checkpoint, type ReadModels, reachedIn } from '../read/read-models.ts'

/** Rows per query. */
const ROWS = 16
/** Maximum number of streams read concurrently. */
const STREAMS_AT_ONCE = 16
/** Events of all accounts that are scanned after the model's checkpoint: per read, and at most for one page. */
const READ = 500
const MOST_READ = 5000

/** The events found with the model's rows. */
type EventsOfModel = {
  readonly events: readonly Recorded[]
  readonly reached: Position
  readonly isFull: boolean
}

export class ProjectedPages {
  private readonly reads = pLimit(STREAMS_AT_ONCE)

  /** @param onAway called when the model can't be read, so that the log is scanned instead */
  constructor(
    private readonly log: EventLog,
    private readonly readModels: ReadModels,
    private readonly onAway: (error: unknown) => void = () => {},
  ) {}

  /**
   * The next events of an account after a position, at most `limit`; fewer when the scan of the log reaches its limit.
   */
  async page(account: AccountId, after: Position | null, limit: number): Promise<LogPage> {
    const rows = await this.eventsOfModel(account, after, limit)
    if (rows?.isFull) return { events: rows.events, reached: rows.reached, caughtUp: false }
    const events = [...(rows?.events ?? [])]
    let reached = furthest(rows?.reached ?? null, after)
    for (let read = 0; read < MOST_READ; read += READ) {
      const page = await this.log.readAll(reached, READ)
      for (const event of page) {
        if (event.meta.account_id === account) events.push(event)
        reached = event.position
        if (events.length === limit) return { events, reached, caughtUp: false }
      }
      if (page.length < READ) return { events, reached, caughtUp: true }
      // Yields to other requests.
      await nextTurn()
    }
    return { events, reached, caughtUp: false }
  }

  /**
   * An account's events after a position, found with the model; undefined when the model is unusable or was rebuilt.
   */
  private async eventsOfModel(
    account: AccountId,
    after: Position | null,
    limit: number,
  ): Promise<EventsOfModel | undefined> {
    try {
      const checkpoint = await this.readModels.checkpoint(accountEvents)
      if (!checkpoint || reachedIn(this.log, checkpoint) <= (after ?? 0)) return undefined
      const rows = await this.read(account, (after ?? 0) as Position, checkpoint, limit)
      // If the rows were rebuilt or lost during the read, the result may be incomplete.
      const now = await this.readModels.checkpoint(accountEvents)
      const isUnmoved =
        now?.logId === checkpoint.logId &&
        now.generation === checkpoint.generation &&
        now.position >= checkpoint.position
      return isUnmoved ? rows : undefined
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      this.onAway(error)
      return undefined
    }
  }

  private async read(
    account: AccountId,
    after: Position,
    checkpoint: Checkpoint,
    limit: number,
  ): Promise<EventsOfModel> {
    const events: Recorded[] = []
    let next = stretchOf(after)
    for (;;) {
      const rows = await this.readModels.list(accountEvents, 'by_account', {
        equals: [account],
        after: next - 1,
        order: 'ascending',
        limit: ROWS,
      })
      const chosen = enough(rows, limit - events.length)
      const read = await Promise.all(
        [...rangesOf(chosen)].map((range) => this.reads(() => this.range(range))),
      )
      const wanted = read.flat().filter(({ position }) => position > after && position <= checkpoint.position)
      events.push(...wanted.sort((a, b) => a.position - b.position))
      if (events.length >= limit) {
        const page = events.slice(0, limit)
        return { events: page, reached: page.at(-1)?.position ?? after, isFull: true }
      }
      const last = chosen.at(-1)
      if (!last || (chosen.length === rows.length && rows.length < ROWS))
        return { events, reached: checkpoint.position, isFull: false }
      next = last.stretch + 1
    }
  }

  private range([stream, [from, to]]: Range): Promise<readonly Recorded[]> {
    return this.log.readStream(stream, from, to - from + 1)
  }
}

type Range = readonly [stream: StreamName, revisions: readonly [from: number, to: number]]

/** The first rows that contain enough events. The first row does not count: its events may be before the position. */
function enough(rows: readonly AccountEventsRow[], wanted: number): readonly AccountEventsRow[] {
  let events = 0
  for (const [i, { streams }] of rows.entries()) {
    if (events >= wanted) return rows.slice(0, i)
    if (i > 0) for (const [from, to] of Object.values(streams)) events += to - from + 1
  }
  return rows
}

/** The revisions to read of each stream. A stream continues from row to row. */
function rangesOf(rows: readonly AccountEventsRow[]): ReadonlyMap<StreamName, readonly [number, number]> {
  const ranges = new Map<StreamName, readonly [number, number]>()
  for (const { streams } of rows)
    for (const [name, [from, to]] of Object.entries(streams)) {
      const stream = name as StreamName
      ranges.set(stream, [ranges.get(stream)?.[0] ?? from, to])
    }
  return ranges
}
