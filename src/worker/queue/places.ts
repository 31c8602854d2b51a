/**
 * The places for runs of this worker, and the rule that no source holds up another.
 *
 * With n sources, the last n - 1 places are a reserve. When only they are free, a run starts only if its source
 * has no run under way here. Runs of n sources therefore take at most n - 1 places of the reserve, and a source that has
 * no run under way always finds one. The reserve is at most half of all places: with more sources than that, it may take
 * until a run of the reserve ends.
 *
 * Pure. Every operation takes O(1).
 *
 * @module
 */
import type { RunId } from '../../domain/ids.ts'

/** The name of a run's source; undefined: not known, so the reserve is open to the run. */
export type SourceName = string | undefined

/** The source of a task, which is the first part of its key. */
export const sourceOf = (taskKey: string): string => taskKey.split('.', 1)[0]!

export class Places {
  private readonly reserve: number
  private readonly sources = new Map<RunId, SourceName>()
  /** how many runs each source has under way */
  private readonly counts = new Map<SourceName, number>()

  /**
   * @param places how many runs may be under way at once
   * @param sources how many sources there are
   */
  constructor(
    private readonly places: number,
    sources: number,
  ) {
    this.reserve = Math.max(0, Math.min(sources - 1, Math.floor(places / 2)))
  }

  /** Whether a run of a source may start now. */
  admits(source: SourceName): boolean {
    const free = this.places - this.sources.size
    if (free > this.reserve) return true
    return free > 0 && (source === undefined || !this.counts.has(source))
  }

  /** A run is under way. */
  enter(id: RunId, source: SourceName): void {
    if (this.sources.has(id)) return
    this.sources.set(id, source)
    this.counts.set(source, (this.counts.get(source) ?? 0) + 1)
  }

  /** A run leaves its place to another one. */
  leave(id: RunId): void {
    if (!this.sources.has(id)) return
    const source = this.sources.get(id)
    const left = (this.counts.get(source) ?? 0) - 1
    this.sources.delete(id)
    if (left > 0) this.counts.set(source, left)
    else this.counts.delete(source)
  }
}
