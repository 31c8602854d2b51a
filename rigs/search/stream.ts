/**
 * The abstract event log. Streams with the same events are the same object, so each is folded once and compared by its
 * number.
 *
 * Events have no ids. An append results in a stream, and a repeated append is recognised because the current stream
 * contains that stream.
 *
 * @module
 */
import type { Fold } from '../../src/domain/decider.ts'
import type { DomainEvent, Metadata } from '../../src/domain/events.ts'

/** A written event; `by`: its author, where that matters. */
export type Written = { readonly by: string; readonly event: DomainEvent; readonly meta: Metadata }

let count = 0

export class Stream<State> {
  /** stands for the stream in the identity of a state */
  private readonly number = count++
  private readonly longer = new Map<string, Stream<State>>()

  private constructor(
    private readonly fold: Fold<State>,
    readonly state: State,
    /** of the last event; -1 without one */
    readonly revision: number,
    private readonly before?: Stream<State>,
    readonly last?: Written,
  ) {}

  /** An empty stream. Must be created once for each stream of a model. */
  static empty<State>(fold: Fold<State>): Stream<State> {
    return new Stream(fold, fold.initial, -1)
  }

  /** The events after a revision. */
  after(revision: number): readonly Written[] {
    const events: Written[] = []
    for (let at: Stream<State> = this; at.revision > revision && at.last && at.before; at = at.before)
      events.push(at.last)
    return events.reverse()
  }

  /** The event types, for traces. */
  get types(): readonly string[] {
    return this.after(-1).map(({ event }) => event.type)
  }

  toJSON(): number {
    return this.number
  }

  /**
   * The stream with a batch appended at `expected`, its last revision; `any`: at any revision.
   *
   * @returns undefined when `expected` is not the last revision
   */
  append(expected: number | 'any', batch: readonly Written[]): Stream<State> | undefined {
    if (expected !== 'any' && expected !== this.revision) return undefined
    return batch.reduce((stream, each) => stream.with(each), this as Stream<State>)
  }

  /** Whether that stream is an earlier state of this one. */
  extends(other: Stream<State>): boolean {
    let at: Stream<State> | undefined = this
    while (at && at.revision > other.revision) at = at.before
    return at === other
  }

  private with(written: Written): Stream<State> {
    const { by, event, meta } = written
    const key = JSON.stringify([by, meta.at, event])
    const known = this.longer.get(key)
    if (known) return known
    const state = this.fold.evolve(this.state, event, meta)
    const longer = new Stream(this.fold, state, this.revision + 1, this, written)
    this.longer.set(key, longer)
    return longer
  }
}
