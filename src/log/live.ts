/**
 * Following events, of a log or of a feed: pages of what is stored, and from the end on what is pushed to all of the live
 * subscribers at once, each of which may be as slow as it likes.
 *
 * @module
 */
import { Bell } from '../async/bell.ts'
import { nextTurn } from '../async/delay.ts'
import { retryUntilAborted } from '../async/retry.ts'
import { type Category, categoryOf } from '../domain/ids.ts'
import { type Delivery, furthest, LogReplaced, type Position, type Recorded } from './event-log.ts'

/** Events that a live subscriber may be behind before it reads pages again. */
const LIVE_BUFFER = 20_000

/** What one live subscriber has not taken yet. */
export class Live {
  private batches: (readonly Recorded[])[] = []
  private size = 0
  private gap = false
  private failure: unknown
  /** rung when there may be something to take */
  readonly news = new Bell()

  /** @param consecutive whether every position is its predecessor's successor, so that a gap can be seen */
  constructor(private readonly consecutive: boolean) {}

  /** Events in order, right after what was pushed before. */
  push(events: readonly Recorded[]): void {
    this.size += events.length
    if (this.size > LIVE_BUFFER) this.missed()
    else if (!this.gap) this.batches.push(events)
    this.news.ring()
  }

  /** There are events that were not pushed: the store has them. */
  missed(): void {
    this.gap = true
    this.batches = []
    this.size = 0
    this.news.ring()
  }

  /** The subscription ends with an error. */
  fail(error: unknown): void {
    this.failure = error
    this.news.ring()
  }

  /** @throws what it was told to fail with */
  check(): void {
    if (this.failure !== undefined) throw this.failure
  }

  /** The events after a position, or undefined when they must be read from the store. */
  take(last: number): Recorded[] | undefined {
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

/** Events in order, and up to where, inclusive, there are no others; null: before the first event of the log. */
export type Stretch = { readonly events: readonly Recorded[]; readonly reached: Position | null }

/** A stretch that was read. `caughtUp`: there was nothing more when it was asked for. */
export type Page = Stretch & { readonly caughtUp: boolean }

export type FollowOptions = {
  readonly signal: AbortSignal
  /**
   * Reads the next events after a position, a limited number. It is asked after the subscriber joined those that are
   * pushed to: whatever comes to be later is pushed. It is asked again when it fails with anything but
   * {@link LogReplaced}.
   */
  page(after: Position | null): Promise<Page>
  /** told of each failure after which it is asked again */
  readonly failed?: ((error: unknown) => void) | undefined
  /** after so many milliseconds without an event it is said how far all events were pushed by now */
  readonly quiet?: { readonly ms: number; readonly pushed: () => Position | null }
}

/** After a failure, in milliseconds. */
const ASK_AGAIN_MS = 250
const mayPass = (error: unknown): boolean => !(error instanceof LogReplaced)

/**
 * The events after a position, first what is there, then what comes, until the signal aborts.
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
      // Live events come straight from memory, as long as nothing is missing between.
      const events = isStored ? undefined : live.take(reached ?? 0)
      if (events) {
        const last = events.at(-1)?.position
        if (last !== undefined || isQuiet) {
          // Without events all that was pushed has been taken: how far that is, is asked in the same moment.
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

export type SubscribeOptions = { readonly categories?: readonly Category[]; readonly signal: AbortSignal }

/** What a subscription asks of a log. */
export type Source = {
  /** the next events after a position; none when there are none */
  page(after: Position | null): Promise<readonly Recorded[]>
  head(): Promise<Position | null>
  failed(error: unknown): void
}

/** A subscription to a log; see `subscribe` of the port. */
export async function* deliveries(
  live: Live,
  after: Position | null,
  { categories, signal }: SubscribeOptions,
  { page, head, failed }: Source,
): AsyncGenerator<Delivery> {
  const wanted = categories && new Set<string>(categories)
  const select = (events: readonly Recorded[]) =>
    wanted ? events.filter((e) => wanted.has(categoryOf(e.stream))) : events
  // To have caught up is to have brought what was there when it was asked: writers who never rest can't put it off.
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
    const selected = select(events)
    if (selected.length > 0) yield { kind: 'events', events: selected }
    if (caughtUp || (reached ?? 0) < (target ?? 0) || signal.aborted) continue
    caughtUp = true
    yield { kind: 'caught-up', position: reached }
  }
}
