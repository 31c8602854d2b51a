/**
 * Folding events into rows in memory: each row is read once, changed as often as a batch says, and written once.
 *
 * @module
 */
import type { EventType } from '../domain/events.ts'
import type { Recorded } from '../log/event-log.ts'
import type { Handled, Projection, ReadModels, Row } from './read-models.ts'

/** Told of an event that a projection can't handle, which is a defect. It may throw to stop there. */
export type OnDefect = (projection: Projection, event: Recorded, error: unknown) => void

/** Events that were folded since the last commit. */
export type Pending = {
  readonly count: number
  readonly last: Recorded
  /** RFC 3339: when the oldest of them was decided */
  readonly oldest: string
  /** when they must be behind a checkpoint though they changed nothing, in milliseconds of `performance.now()` */
  readonly until: number
}

/** Events that change no row may wait so long for a checkpoint behind them, in milliseconds. */
const CHECKPOINT_MS = 250

/** Adds events to those that are pending; undefined when there are none. */
export function add(pending: Pending | undefined, events: readonly Recorded[]): Pending | undefined {
  const [first, last] = [events[0], events.at(-1)]
  if (!first || !last) return pending
  return {
    count: (pending?.count ?? 0) + events.length,
    last,
    oldest: pending?.oldest ?? first.meta.at,
    until: pending?.until ?? performance.now() + CHECKPOINT_MS,
  }
}

/** Rows that are kept from batch to batch, for each projection; at most twice as many and those of one batch. */
const KEPT_ROWS = 8192

/** The projections of a group with the rows that they touched last. */
export class Folder {
  private readonly hands: readonly Hand[]
  private readonly byType = new Map<string, Hand[]>()

  constructor(
    private readonly readModels: ReadModels,
    projections: readonly Projection[],
    private readonly onDefect: OnDefect,
  ) {
    this.hands = projections.map((projection) => new Hand(projection))
    for (const hand of this.hands) {
      for (const type of hand.projection.types) {
        const hands = this.byType.get(type)
        if (hands) hands.push(hand)
        else this.byType.set(type, [hand])
      }
    }
  }

  /**
   * Folds events into the rows. What comes back must be committed; where that fails, this folder knows rows that nobody
   * wrote, and another one takes its place.
   *
   * @param positions for each projection the position of its checkpoint: it skips the events up to there
   * @returns for each projection its new rows; null deletes
   */
  async fold(
    events: readonly Recorded[],
    positions: readonly number[],
  ): Promise<readonly Map<string, Row | null>[]> {
    for (const [i, hand] of this.hands.entries()) hand.begin(positions[i] ?? 0)
    for (const event of events) {
      if (!event.event) continue
      for (const hand of this.byType.get(event.type) ?? []) {
        if (event.position > hand.position) hand.add(event as Handled<EventType>, this.onDefect)
      }
    }
    await Promise.all(this.hands.map((hand) => hand.load(this.readModels)))
    return this.hands.map((hand) => hand.apply(this.onDefect))
  }
}

/** One projection at work. A row that is known to be missing is null. */
class Hand {
  position = 0
  private events: Handled<EventType>[] = []
  private keys: string[] = []
  private rows = new Map<string, Row | null>()
  /** what nobody has asked for since half of them went */
  private older = new Map<string, Row | null>()

  constructor(readonly projection: Projection) {}

  begin(position: number): void {
    this.position = position
    if (this.rows.size < KEPT_ROWS) return
    this.older = this.rows
    this.rows = new Map()
  }

  add(event: Handled<EventType>, onDefect: OnDefect): void {
    const { projection } = this
    try {
      const key = projection.key(event)
      if (projection.begins?.(event)) this.rows.set(key, null)
      this.keys.push(key)
      this.events.push(event)
    } catch (error) {
      onDefect(this.projection, event as Recorded, error)
    }
  }

  async load(readModels: ReadModels): Promise<void> {
    const missing = new Set<string>()
    for (const key of this.keys) {
      if (this.rows.has(key)) continue
      const row = this.older.get(key)
      // A generation that begins has none, but perhaps those of another builder, who is faster.
      if (row === undefined && this.position > 0) missing.add(key)
      else this.rows.set(key, row ?? null)
    }
    if (missing.size === 0) return
    const keys = [...missing]
    const found = await readModels.getMany(this.projection, keys)
    for (const [i, key] of keys.entries()) this.rows.set(key, found[i] ?? null)
  }

  apply(onDefect: OnDefect): Map<string, Row | null> {
    const before = new Map<string, Row | null>()
    for (const [i, event] of this.events.entries()) {
      const key = this.keys[i] as string
      const row = this.rows.get(key) ?? null
      try {
        const next = this.projection.apply(row ?? undefined, event)
        if (next === row) continue
        if (!before.has(key)) before.set(key, row)
        this.rows.set(key, next)
      } catch (error) {
        onDefect(this.projection, event as Recorded, error)
      }
    }
    this.events = []
    this.keys = []
    const changed = new Map<string, Row | null>()
    for (const [key, row] of before) {
      const after = this.rows.get(key) ?? null
      if (after !== row) changed.set(key, after)
    }
    return changed
  }
}
