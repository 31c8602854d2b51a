/**
 * Pages of the event feed: of one account by an index, of all accounts as the log has them.
 *
 * @module
 */
import type { AccountId } from '../domain/ids.ts'
import type { EventLog, Position, Recorded } from '../log/event-log.ts'

/** A piece of a feed. */
export type FeedPage = {
  /** in order */
  readonly events: readonly Recorded[]
  /** up to here, inclusive, the feed has no other events; null before the first event of the log */
  readonly reached: Position | null
  /** the log had nothing more when it was asked */
  readonly caughtUp: boolean
}

/** The next events after a position, at most `limit`. */
export type ReadPage = (after: Position | null, limit: number) => Promise<FeedPage>

/** Of all accounts. */
export async function pageOfAll(log: EventLog, after: Position | null, limit: number): Promise<FeedPage> {
  const events = await log.readAll(after, limit)
  return { events, reached: events.at(-1)?.position ?? after, caughtUp: events.length < limit }
}

/** Of one account, in a log that has an index by account. */
export async function pageByLog(
  log: EventLog & Required<Pick<EventLog, 'readAccount'>>,
  account: AccountId,
  after: Position | null,
  limit: number,
): Promise<FeedPage> {
  // Asked first: up to here the read that follows misses nothing.
  const head = await log.head()
  const events = await log.readAccount(account, after, limit)
  const caughtUp = events.length < limit
  const last = events.at(-1)?.position ?? after
  return { events, reached: caughtUp ? furthest(last, head) : last, caughtUp }
}

/** The later one of two positions. */
export const furthest = (a: Position | null, b: Position | null): Position | null =>
  (a ?? 0) > (b ?? 0) ? a : b
