/**
 * The event feed, of one account or of all: page by page, and as it goes on. What the feed of one account costs does not
 * grow with what others do.
 *
 * @module
 */
import type { AccountId } from '../domain/ids.ts'
import { type EventLog, furthest, LogReplaced, type Position, type Recorded } from '../log/event-log.ts'
import { follow, Live, type Page, type Stretch } from '../log/live.ts'
import type { Tail } from '../log/tail.ts'
import type { ReadModels } from '../read/read-models.ts'
import { ProjectedPages } from './projected.ts'

export type FeedOptions = {
  /** told of failures after which it is asked again, or goes without a read model */
  readonly onFailure?: (error: unknown) => void
  /** milliseconds without an event after which `follow` says how far it is; 4000 by default */
  readonly quietMs?: number
}

const QUIET_MS = 4000
/** Events that are read at once. */
const PAGE = 500

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
  async page(account: AccountId | undefined, after: Position | null, limit: number): Promise<Page> {
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
  ): AsyncGenerator<Stretch> {
    const { log, tail } = this
    const { quietMs = QUIET_MS, onFailure } = this.options
    const { id } = log
    const live = new Live(false)
    const push = (event: Recorded) => live.push([event])
    // Before the first read: what comes after a read is pushed, and what was read is not taken twice.
    const silence = account === undefined ? tail.all(push) : tail.of(account, push)
    const unhear = tail.onReplaced(() => live.fail(new LogReplaced()))
    const page = async (from: Position | null) => {
      const read = await this.page(account, from, PAGE)
      if (log.id !== id) throw new LogReplaced()
      return read
    }
    try {
      const quiet = { ms: quietMs, pushed: () => tail.position }
      yield* follow(live, after, { signal, page, failed: onFailure, quiet })
    } finally {
      silence()
      unhear()
    }
  }
}
