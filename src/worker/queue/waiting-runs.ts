/**
 * The queued runs of one account, by source.
 *
 * @module
 */
import { Fifo } from './fifo.ts'
import type { SourceName } from './places.ts'

/** A run, as far as it matters for its place. */
export type Waiting = {
  readonly source: SourceName
  /** milliseconds since 1970 */
  readonly since: number
  /** smaller: it came to wait earlier */
  order: number
}

/** The runs of one source. */
type Line<R> = {
  /** runs that were claimed before: they have priority */
  readonly requeued: Fifo<R>
  /** runs that were never claimed, in the order of their requests */
  readonly requested: Fifo<R>
}

/** Each operation takes as long as there are sources, however many runs wait. */
export class WaitingRuns<R extends Waiting> {
  private readonly lines = new Map<SourceName, Line<R>>()
  private lastOrder = 0
  size = 0

  add(run: R, to: keyof Line<R>): void {
    run.order = ++this.lastOrder
    let line = this.lines.get(run.source)
    if (!line) {
      line = { requeued: new Fifo(), requested: new Fifo() }
      this.lines.set(run.source, line)
    }
    line[to].add(run)
    this.size++
  }

  delete(run: R): void {
    const line = this.lines.get(run.source)
    if (line?.requeued.delete(run) || line?.requested.delete(run)) this.size--
  }

  /** The next run; undefined when none waits. */
  first(): R | undefined {
    return this.firstIn('requeued') ?? this.firstIn('requested')
  }

  /** The next run of a source; undefined when none waits. */
  firstOf(source: SourceName): R | undefined {
    const line = this.lines.get(source)
    return line?.requeued.first ?? line?.requested.first
  }

  /** When the longest waiting run was requested, in milliseconds since 1970; infinity when none waits. */
  oldest(): number {
    const times = this.lines.values().flatMap(({ requeued, requested }) => [requeued.first, requested.first])
    return times.reduce((oldest, run) => Math.min(oldest, run?.since ?? oldest), Number.POSITIVE_INFINITY)
  }

  /** The sources of all runs so far. */
  sources(): Iterable<SourceName> {
    return this.lines.keys()
  }

  private firstIn(queue: keyof Line<R>): R | undefined {
    let first: R | undefined
    for (const line of this.lines.values()) {
      const run = line[queue].first
      if (run && (first === undefined || run.order < first.order)) first = run
    }
    return first
  }
}
