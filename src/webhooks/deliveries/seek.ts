/**
 * Finds positions in the log by time.
 *
 * @module
 */
import { type AccountId, accountStream } from '../../domain/ids.ts'
import type { EventLog, Position, Recorded } from '../../log/event-log.ts'

/** Events carry the time of their decision, so they may be written out of order, by less than this, in milliseconds. */
const DISORDER_MS = 60_000

/**
 * A position before all events of an account at or after a time. The account's stream contains an event for each
 * charge; a binary search finds one in about forty reads regardless of the stream's length.
 *
 * @param time milliseconds since 1970
 * @returns null: the start of the log
 */
export async function positionBefore(
  log: EventLog,
  account: AccountId,
  time: number,
): Promise<Position | null> {
  const markAt = async (revision: number): Promise<Recorded | undefined> => {
    const [event] = await log.readStream(accountStream(account), revision, 1)
    return event && Date.parse(event.meta.at) < time - DISORDER_MS ? event : undefined
  }
  let before: Recorded | undefined
  let high = 0
  for (let mark = await markAt(high); mark; mark = await markAt(high)) {
    before = mark
    high = 2 * high + 1
  }
  for (let low = before?.revision ?? -1; high - low > 1; ) {
    const middle = Math.floor((low + high) / 2)
    const mark = await markAt(middle)
    if (mark) before = mark
    if (mark) low = middle
    else high = middle
  }
  return before?.position ?? null
}

/** Whether all events at or before a time are earlier in the log than an event. @param time milliseconds since 1970 */
export const isBeyond = ({ meta }: Recorded, time: number): boolean =>
  Date.parse(meta.at) > time + DISORDER_MS
