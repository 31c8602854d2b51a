/**
 * The event feed, of one account or of all: page by page, and as it goes on. What the feed of one account costs does not
 * grow with what others do.
 *
 * @module
 */
import { delay } from '../async/delay.ts'
import { retryUntilAborted } from '../async/retry.ts'
import type { AccountId } from '../domain/ids.ts'
import { type EventLog, isUnavailable, LogReplaced, type Position, type Recorded } from '../log/event-log.ts'
import { Live } from '../log/live.ts'
import type { Tail } from '../log/tail.ts'
import type { ReadModels } from '../read/read-models.ts'
import { type FeedPage, furthest, ProjectedPages } from './projected.ts'

export type FeedOptions = {
  /** told of failures after which it is asked again, or goes without a read model */
  readonly onFailure?: (error: unknown) => void
  /** milliseconds without an event after which `follow` says how far it is; 4000 by default */
  readonly quietMs?: number
}

/** What `follow` brings: events, if any, and up to where there are no others. */
export type Followed = { readonly events: readonly Recorded[]; readonly reached: Position | null }

const QUIET_MS = 4000
/** Events that are read at once. */
const PAGE = 500
/** After a failure, in milliseconds. */
const ASK_AGAIN_MS = 250

export class Feed {
  private readonly projected: ProjectedPages

  constructor(
    private readonly log: EventLog,
    private readonly tail: Tail,
    readModels: ReadModels,
    private readonly options: FeedOptions = {},
  ) {
    this.projected = new ProjectedPages(log, readModels, options.onFailure)
  }

  /**
   * The next events after a position, at most `limit`; fewer don't mean that there are no more.
   *
   * @param account undefined for those of all accounts
   * @throws {StoreUnavailable}
   */
  async page(account: AccountId | undefined, after: Position | null, limit: number): Promise<FeedPage> {
    const { log } = this
    if (account === undefined) {
      const events = await log.readAll(after, limit)
      return { events, reached: events.at(-1)?.position ?? after, caughtUp: events.length < limit }
    }
    if (!log.readAccount) return this.projected.page(account, after, limit)
    // Asked first: up to here the read that follows misses nothing.
    const head = await log.head()
    const events = await log.readAccount(account, after, limit)
    const caughtUp = events.length < limit
    const last = events.at(-1)?.position ?? after
    return { events, reached: caughtUp ? furthest(last, head) : last, caughtUp }
  }

  /**
   * The events after a position, first what is there, then what comes, until `signal` aborts. While there are none it
   * says now and then how far it is. It heals itself: whatever else fails does not end it.
   *
   * @throws {LogReplaced} when the log was set back or replaced
   */
  async *follow(
    account: AccountId | undefined,
    after: Position | null,
    signal: AbortSignal,
  ): AsyncGenerator<Followed> {
    const live = new Live(false)
    const push = (event: Recorded) => live.push([event])
    // Before the first read: what comes after a read is pushed, and what was read is not taken twice.
    const silence = account === undefined ? this.tail.all(push) : this.tail.of(account, push)
    const unhear = this.tail.onReplaced(() => live.fail(new LogReplaced()))
    const wake = () => live.wake()
    signal.addEventListener('abort', wake)
    try {
      yield* this.followed(live, account, after, signal)
    } finally {
      silence()
      unhear()
      signal.removeEventListener('abort', wake)
    }
  }

  private async *followed(
    live: Live,
    account: AccountId | undefined,
    after: Position | null,
    signal: AbortSignal,
  ): AsyncGenerator<Followed> {
    const { quietMs = QUIET_MS, onFailure: onRetry } = this.options
    const again = { when: isUnavailable, firstMs: ASK_AGAIN_MS, longestMs: ASK_AGAIN_MS, signal, onRetry }
    const { id } = this.log
    let reached = after
    let stored = true
    let quiet = false
    while (!signal.aborted) {
      if (stored) {
        const page = await retryUntilAborted(() => this.page(account, reached, PAGE), again)
        if (!page) return
        if (this.log.id !== id) throw new LogReplaced()
        ;({ reached } = page)
        stored = !page.caughtUp
        yield page
        continue
      }
      live.check()
      const events = live.take(reached ?? 0)
      if (!events) {
        stored = true
        continue
      }
      const last = events.at(-1)?.position
      if (last !== undefined || quiet) {
        // Without events all that the tail has told of was taken: its position is asked in the same moment.
        reached = last ?? furthest(reached, this.tail.position)
        yield { events, reached }
      }
      quiet = !(await woken(live, quietMs))
    }
  }
}

/** Waits for something to take. @returns false when nothing came in time */
function woken(live: Live, ms: number): Promise<boolean> {
  const awake = new AbortController()
  const late = delay(ms, awake.signal).then(() => false)
  return Promise.race([live.woken().then(() => true), late]).finally(() => awake.abort())
}
