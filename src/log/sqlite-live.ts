/**
 * Subscriptions of the embedded log: events straight from the commit that wrote them, and from the file where some are
 * missing.
 *
 * @module
 */
import { type Category, categoryOf } from '../domain/ids.ts'
import { pause, turn } from '../pause.ts'
import type { Delivery, Position, Recorded } from './event-log.ts'

/** Events that a live subscriber may be behind before it reads from the file again. */
const LIVE_BUFFER = 20_000

/** What one live subscriber has not taken yet. */
export class Live {
  private batches: (readonly Recorded[])[] = []
  private size = 0
  private readFile = false
  private waiting: (() => void) | undefined
  private awake = false

  /** Events of one commit of this process, in order and right after what was pushed before. */
  push(events: readonly Recorded[]): void {
    this.size += events.length
    if (this.size > LIVE_BUFFER) this.missed()
    else if (!this.readFile) this.batches.push(events)
    this.wake()
  }

  /** There are events that were not pushed: the file has them. */
  missed(): void {
    this.readFile = true
    this.batches = []
    this.size = 0
    this.wake()
  }

  wake(): void {
    this.awake = true
    this.waiting?.()
  }

  /** Resolves when there is something to take, or somebody called `wake`. */
  woken(): Promise<void> {
    if (this.awake) return Promise.resolve()
    return new Promise((go) => {
      this.waiting = () => {
        this.waiting = undefined
        go()
      }
    })
  }

  /** The events after a position, or undefined when they must be read from the file. */
  take(last: number): Recorded[] | undefined {
    this.awake = false
    const events = this.batches.flat().filter((e) => e.position > last)
    this.batches = []
    this.size = 0
    const next = events[0]
    if (this.readFile || (next && next.position !== last + 1)) {
      this.readFile = false
      return undefined
    }
    return events
  }
}

export type SubscribeOptions = { readonly categories?: readonly Category[]; readonly signal: AbortSignal }

/** What a subscription asks of the file. */
export type Source = {
  /** the next events after a position, a limited number */
  page(after: number): readonly Recorded[]
  last(): Position | null
  /** told of each failure of the two, after which they are asked again */
  failed(error: unknown): void
}

/** After a failure, in milliseconds. */
const ASK_AGAIN_MS = 250

/** The events after a position, until the signal aborts; see `subscribe` of the port. */
export async function* follow(
  live: Live,
  after: Position | null,
  { categories, signal }: SubscribeOptions,
  source: Source,
): AsyncGenerator<Delivery> {
  const wanted = categories && new Set<string>(categories)
  const select = (events: readonly Recorded[]) =>
    wanted ? events.filter((e) => wanted.has(categoryOf(e.stream))) : events
  const stop = () => live.wake()
  signal.addEventListener('abort', stop)
  let last = after ?? 0
  try {
    // To have caught up is to have brought what was there when it was asked: writers who never rest can't put it off.
    let target: number | undefined
    let caughtUp = false
    let fromFile = true
    while (!signal.aborted) {
      // Live events come straight from memory, as long as nothing is missing between.
      let batch: readonly Recorded[] | undefined
      try {
        target ??= source.last() ?? 0
        batch = fromFile ? source.page(last) : live.take(last)
      } catch (error) {
        source.failed(error)
        await pause(ASK_AGAIN_MS, signal)
        continue
      }
      if (!batch) {
        fromFile = true
        continue
      }
      last = batch.at(-1)?.position ?? last
      const events = select(batch)
      if (events.length > 0) yield { kind: 'events', events }
      if (!caughtUp && last >= target && !signal.aborted) {
        caughtUp = true
        yield { kind: 'caught-up', position: last === 0 ? null : (last as Position) }
      }
      if (fromFile) fromFile = batch.length > 0
      await (fromFile ? turn() : live.woken())
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
