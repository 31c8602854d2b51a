/**
 * Positions in the log by time.
 *
 * @module
 */
import { type AccountId, accountStream } from '../domain/ids.ts'
import type { EventLog, Position, Recorded } from '../log/event-log.ts'

/** Events are dated when they are decided: one may be written after others with later times, by less than this. */
const DISORDER_MS = 60_000

/**
 * A position before all events of an account that have a time or a later one. Each charge of the account is a mark in time
 * in its stream, where a mark is found in some forty reads however long the stream is.
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
  let found: Recorded | undefined
  let high = 0
  for (let mark = await markAt(high); mark; mark = await markAt(high)) {
    found = mark
    high = 2 * high + 1
  }
  for (let low = found?.revision ?? -1; high - low > 1; ) {
    const middle = Math.floor((low + high) / 2)
    const mark = await markAt(middle)
    if (mark) found = mark
    if (mark) low = middle
    else high = middle
  }
  return found?.position ?? null
}

/** Whether an event lies so late in the log that all events of a time or before lie before it. @param time milliseconds since 1970 */
export const isBeyond = ({ meta }: Recorded, time: number): boolean =>
  Date.parse(meta.at) > time + DISORDER_MS
