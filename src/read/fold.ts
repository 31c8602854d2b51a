/**
 * Folds events into rows in memory: per batch, each row is read once, changed by each of its events, and written once.
 *
 * @module
 */
import { BoundedCache } from '../bounded-cache.ts'
import type { EventType } from '../domain/events.ts'
import type { Recorded } from '../log/event-log.ts'
import type { Handled, Projection, ReadModels, Row } from './read-models.ts'

/** Called with an event that a projection can't handle, which is a defect. May throw to stop there. */
export type OnDefect = (projection: Projection, event: Recorded, error: unknown) => void

/** Rows by key. Null: the row is known to be missing, or is to be deleted. */
export type Rows = ReadonlyMap<string, Row | null>

/** Number of rows cached between batches, per projection. */
const KEPT_ROWS = 16_384

/** A projection with its recently used rows. */
type Hand = {
  readonly projection: Projection
  readonly types: ReadonlySet<string>
  readonly known: BoundedCache<string, Row | null>
}

/** Runs the projections of a group. */
export class Folder {
  private readonly hands: readonly Hand[]

  constructor(
    private readonly readModels: ReadModels,
    projections: readonly Projection[],
    private readonly onDefect: OnDefect,
  ) {
    this.hands = projections.map((projection) => ({
      projection,
      types: new Set(projection.types),
      known: new BoundedCache(KEPT_ROWS),
    }))
  }

  /**
   * Folds events into the rows. The caller must commit the result. If the commit fails, this folder's cache holds rows
   * that were never written, and the caller must replace the folder.
   *
   * @param positions for each projection the position of its checkpoint; events up to it are skipped
   * @returns for each projection its changed rows; null deletes
   */
  fold(events: readonly Recorded[], positions: readonly number[]): Promise<readonly Rows[]> {
    const folds = this.hands.map((hand, i) => {
      const from = positions[i] ?? 0
      const handled = events.filter((one) => one.event && one.position > from && hand.types.has(one.type))
      return this.foldOne(hand, handled as Handled<EventType>[], from === 0)
    })
    return Promise.all(folds)
  }

  /** @param isNew the generation is empty, except for rows of a faster concurrent builder, which must not be read */
  private async foldOne(
    { projection, known }: Hand,
    events: readonly Handled<EventType>[],
    isNew: boolean,
  ): Promise<Rows> {
    const rows = new Map<string, Row | null>()
    const keyed: (readonly [string, Handled<EventType>])[] = []
    const missing = new Set<string>()
    for (const event of events)
      this.guard(projection, event, () => {
        const key = projection.key(event)
        keyed.push([key, event])
        const row = projection.begins?.(event) || isNew ? (known.get(key) ?? null) : known.get(key)
        if (rows.has(key) || missing.has(key)) return
        if (row === undefined) missing.add(key)
        else rows.set(key, row)
      })
    const keys = [...missing]
    const stored = keys.length === 0 ? [] : await this.readModels.getMany(projection, keys)
    for (const [i, key] of keys.entries()) rows.set(key, stored[i] ?? null)
    const before = new Map(rows)
    for (const [key, event] of keyed)
      this.guard(projection, event, () => rows.set(key, projection.apply(rows.get(key) ?? undefined, event)))
    for (const [key, row] of rows) {
      known.set(key, row)
      if (row === before.get(key)) rows.delete(key)
    }
    return rows
  }

  private guard(projection: Projection, event: Handled<EventType>, work: () => unknown): void {
    try {
      work()
    } catch (error) {
      this.onDefect(projection, event as Recorded, error)
    }
  }
}
