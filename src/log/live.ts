/**
 * Subscriptions, for any log: pages of what is stored, and from the end on what the log pushes to all of its live
 * subscribers at once, each of which may be as slow as it likes.
 *
 * @module
 */
import { delay, nextTurn } from '../async/delay.ts'
import { type Category, categoryOf } from '../domain/ids.ts'
import type { Delivery, Position, Recorded } from './event-log.ts'

/** Events that a live subscriber may be behind before it reads pages again. */
const LIVE_BUFFER = 20_000

/** What one live subscriber has not taken yet. */
export class Live {
  private batches: (readonly Recorded[])[] = []
  private size = 0
  private gap = false
  private waiting: (() => void) | undefined
  private awake = false
  private failure: unknown

  /** @param consecutive whether every position is its predecessor's successor, so that a gap can be seen */
  constructor(private readonly consecutive: boolean) {}

  /** Events in order, right after what was pushed before. */
  push(events: readonly Recorded[]): void {
    this.size += events.length
    if (this.size > LIVE_BUFFER) this.missed()
    else if (!this.gap) this.batches.push(events)
    this.wake()
  }

  /** There are events that were not pushed: the store has them. */
  missed(): void {
    this.gap = true
    this.batches = []
    this.size = 0
    this.wake()
  }

  /** The subscription ends with an error. */
  fail(error: unknown): void {
    this.failure = error
    this.wake()
  }

  /** @throws what it was told to fail with */
  check(): void {
    if (this.failure !== undefined) throw this.failure
  }

  wake(): void {
    this.awake = true
    this.waiting?.()
  }

  /** Resolves when there is something to take, or somebody called `wake`. */
  woken(): Promise<void> {
    if (this.awake) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.waiting = resolve
    return promise
  }

  /** The events after a position, or undefined when they must be read from the store. */
  take(last: number): Recorded[] | undefined {
    this.awake = false
    const events = this.batches.flat().filter((e) => e.position > last)
    this.batches = []
    this.size = 0
    const next = events[0]
    if (this.gap || (this.consecutive && next && next.position !== last + 1)) {
      this.gap = false
      return undefined
    }
    return events
  }
}

export type SubscribeOptions = { readonly categories?: readonly Category[]; readonly signal: AbortSignal }

/** What a subscription asks of the store. The two reads may answer at once or later, and may throw. */
export type Source = {
  /**
   * The next events after a position, a limited number; none when there are none. It is asked after the subscriber
   * joined those that are pushed to: whatever comes to be later is pushed.
   */
  page(after: number): readonly Recorded[] | Promise<readonly Recorded[]>
  last(): Position | null | Promise<Position | null>
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
    let stored = true
    for (;;) {
      live.check()
      if (signal.aborted) return
      // Live events come straight from memory, as long as nothing is missing between.
      let batch: readonly Recorded[] | undefined
      try {
        target ??= (await source.last()) ?? 0
        batch = stored ? await source.page(last) : live.take(last)
      } catch (error) {
        source.failed(error)
        await delay(ASK_AGAIN_MS, signal)
        continue
      }
      if (!batch) {
        stored = true
        continue
      }
      last = batch.at(-1)?.position ?? last
      const events = select(batch)
      if (events.length > 0) yield { kind: 'events', events }
      if (!caughtUp && last >= target && !signal.aborted) {
        caughtUp = true
        yield { kind: 'caught-up', position: last === 0 ? null : (last as Position) }
      }
      if (stored) stored = batch.length > 0
      await (stored ? nextTurn() : live.woken())
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
