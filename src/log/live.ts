/**
 * Follows the events of a log or a feed: stored events page by page, then new events, which are pushed to all live
 * subscribers at once. A slow subscriber does not delay the others.
 *
 * @module
 */
import { Bell } from '../async/bell.ts'
import { nextTurn } from '../async/delay.ts'
import { retryUntilAborted } from '../async/retry.ts'
import { furthest, type LogBatch, LogReplaced, type Position, type Recorded } from './event-log.ts'

/** Number of events by which a live subscriber may lag before it reads pages again. */
const LIVE_BUFFER = 20_000

/** The pushed events that one live subscriber has not taken yet. */
export class Live {
  private batches: (readonly Recorded[])[] = []
  private size = 0
  private gap = false
  private failure: unknown
  /** rung when events, a gap or a failure may have arrived */
  readonly news = new Bell()

  /** Pushes events in order. They must directly follow the previously pushed events. */
  push(events: readonly Recorded[]): void {
    this.size += events.length
    if (this.size > LIVE_BUFFER) this.missed()
    else if (!this.gap) this.batches.push(events)
    this.news.ring()
  }

  /** Marks a gap: events were not pushed and must be read from the store. */
  missed(): void {
    this.gap = true
    this.batches = []
    this.size = 0
    this.news.ring()
  }

  /** Ends the subscription with an error. */
  fail(error: unknown): void {
    this.failure = error
    this.news.ring()
  }

  /** @throws the error passed to {@link fail} */
  check(): void {
    if (this.failure !== undefined) throw this.failure
  }

  /** Takes the events after a position; undefined when they must be read from the store. */
  take(last: number): Recorded[] | undefined {
    const events = this.batches.flat().filter((e) => e.position > last)
    this.batches = []
    this.size = 0
    const { gap } = this
    this.gap = false
    return gap ? undefined : events
  }
}

/** Events in order, complete up to and including the position `reached`; null: before the first event of the log. */
export type Stretch = { readonly events: readonly Recorded[]; readonly reached: Position | null }

/** A stretch that was read from the store. `caughtUp`: the store held no further events when it was asked. */
export type LogPage = Stretch & { readonly caughtUp: boolean }

export type FollowOptions = {
  readonly signal: AbortSignal
  /**
   * Reads a limited number of events after a position. Called only after pushing to the subscriber has begun, so that
   * later events are pushed. Retried after any failure except {@link LogReplaced}.
   */
  page(after: Position | null): Promise<LogPage>
  /** called for each failure that is retried */
  readonly failed?: ((error: unknown) => void) | undefined
  /** after `ms` milliseconds without an event, an empty stretch reports the position up to which events were pushed */
  readonly quiet?: { readonly ms: number; readonly pushed: () => Position | null }
}

/** Delay after a failure, in milliseconds. */
const ASK_AGAIN_MS = 250
const mayPass = (error: unknown): boolean => !(error instanceof LogReplaced)

/**
 * The events after a position: first the stored events, then new ones as they arrive, until the signal aborts.
 *
 * @throws {LogReplaced} and nothing else
 */
export async function* follow(
  live: Live,
  after: Position | null,
  { signal, page, failed, quiet }: FollowOptions,
): AsyncGenerator<Stretch> {
  const again = { when: mayPass, firstMs: ASK_AGAIN_MS, longestMs: ASK_AGAIN_MS, signal, onRetry: failed }
  const wake = () => live.news.ring()
  signal.addEventListener('abort', wake)
  let reached = after
  let isStored = true
  let isQuiet = false
  try {
    while (!signal.aborted) {
      live.check()
      // Live events come straight from memory as long as there is no gap.
      const events = isStored ? undefined : live.take(reached ?? 0)
      if (events) {
        const last = events.at(-1)?.position
        if (last !== undefined || isQuiet) {
          // No events: everything pushed so far was taken. No await may come between that and asking for the position.
          reached = last ?? furthest(reached, quiet?.pushed() ?? null)
          yield { events, reached }
        }
        isQuiet = !(await live.news.rung(quiet?.ms))
        continue
      }
      const read = async () => {
        live.check()
        return page(reached)
      }
      const stretch = await retryUntilAborted(read, again)
      if (!stretch) return
      reached = stretch.reached
      isStored = !stretch.caughtUp
      yield stretch
      if (isStored) await nextTurn()
    }
  } finally {
    signal.removeEventListener('abort', wake)
  }
}

export type SubscribeOptions = { readonly signal: AbortSignal }

/** The operations that a subscription needs from a log. */
export type Source = {
  /** the next events after a position; empty at the end of the log */
  page(after: Position | null): Promise<readonly Recorded[]>
  head(): Promise<Position | null>
  failed(error: unknown): void
}

/** A subscription to a log; see `subscribe` of the port. */
export async function* batches(
  live: Live,
  after: Position | null,
  { signal }: SubscribeOptions,
  { page, head, failed }: Source,
): AsyncGenerator<LogBatch> {
  // Caught up means: all events that existed at the first read were yielded. Continuous writes can't postpone it.
  let target: number | undefined
  let caughtUp = false
  const stretches = follow(live, after, {
    signal,
    failed,
    page: async (from) => {
      target ??= (await head()) ?? 0
      const events = await page(from)
      return { events, reached: events.at(-1)?.position ?? from, caughtUp: events.length === 0 }
    },
  })
  for await (const { events, reached } of stretches) {
    if (events.length > 0) yield { kind: 'events', events }
    if (caughtUp || (reached ?? 0) < (target ?? 0) || signal.aborted) continue
    caughtUp = true
    yield { kind: 'caught-up', position: reached }
  }
}
