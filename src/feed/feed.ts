/**
 * The event feed of one account or of all accounts: page by page, or followed live. The cost of one account's feed does
 * not grow with other accounts' events.
 *
 * @module
 */
import type { AccountId } from '../domain/ids.ts'
import { type EventLog, furthest, LogReplaced, type Position, type Recorded } from '../log/event-log.ts'
import { follow, Live, type LogPage, type Stretch } from '../log/live.ts'
import type { Tail } from '../log/tail.ts'
import type { ReadModels } from '../read/read-models.ts'
import { ProjectedPages } from './projected.ts'

export type FeedOptions = {
  /** called for failures that are retried, or that make the feed bypass the read model */
  readonly onFailure?: (error: unknown) => void
  /** milliseconds without an event after which `follow` reports its position; 4000 by default */
  readonly quietMs?: number
}

const QUIET_MS = 4000
/** Events per read. */
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
   * The next events after a position, at most `limit`. Fewer events do not imply the end of the feed.
   *
   * @param account undefined for the events of all accounts
   * @throws {StoreUnavailable}
   */
  async page(account: AccountId | undefined, after: Position | null, limit: number): Promise<LogPage> {
    const { log } = this
    if (account === undefined) {
      const events = await log.readAll(after, limit)
      return { events, reached: events.at(-1)?.position ?? after, caughtUp: events.length < limit }
    }
    if (!log.readAccount) return this.projected.page(account, after, limit)
    // Read first: the events read afterwards are complete up to this position.
    const head = await log.head()
    const events = await log.readAccount(account, after, limit)
    const caughtUp = events.length < limit
    const last = events.at(-1)?.position ?? after
    return { events, reached: caughtUp ? furthest(last, head) : last, caughtUp }
  }

  /**
   * The events after a position: first the stored events, then new ones as they arrive, until `signal` aborts. Without
   * new events it reports its position from time to time. It retries after any other failure.
   *
   * @throws {LogReplaced} when the log was restored or replaced
   */
  async *follow(
    account: AccountId | undefined,
    after: Position | null,
    signal: AbortSignal,
  ): AsyncGenerator<Stretch> {
    const { log, tail } = this
    const { quietMs = QUIET_MS, onFailure } = this.options
    const { id } = log
    const live = new Live()
    const push = (event: Recorded) => live.push([event])
    // Listen before the first read: events after the read are pushed, and events that were read are not taken twice.
    const silence = account === undefined ? tail.all(push) : tail.on(account, push)
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
