/**
 * The port of the use of exits by day, over all nodes. It is not in the event log, which says nothing of exits, and the
 * metrics belong to one process and end with it. So it is counted here, kept for 30 days, and lost with the store.
 *
 * Counts are collected in memory and written every few seconds.
 *
 * @module
 */
import { nextTurn } from '../async/delay.ts'
import { type WriteBehindOptions, writeBehind } from './write-behind.ts'

/** What an exit did for a source on a day. */
export type ExitCounts = {
  /** executions of runs: one that starts over at another exit counts at both */
  readonly runs: number
  /** those of `runs` that the source blocked */
  readonly blocked: number
  /** those of `runs` whose exit was unreachable, or did not connect to the source */
  readonly failed: number
  readonly requests: number
  /** sent and received */
  readonly bytes: number
}

/** @property label `<way>#<number>`, or `direct` @property day `2026-01-31`, in UTC */
export type ExitDay = ExitCounts & { readonly day: string; readonly label: string; readonly source: string }

/** How long a day is kept. */
export const KEPT_DAYS = 30
export const DAY_MS = 86_400_000

/** The day of a time in milliseconds since 1970, in UTC. */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10)

/** The first day that is kept at a time. */
export const firstDayAt = (now: number): string => dayOf(now - (KEPT_DAYS - 1) * DAY_MS)

export interface ExitDays {
  /** Adds to the counts of a day. @param now milliseconds since 1970 */
  count(label: string, source: string, counts: ExitCounts, now: number): void
  /**
   * The last {@link KEPT_DAYS} days, oldest first, each in any order. Counts of other processes appear seconds later.
   *
   * @throws {StoreUnavailable}
   */
  days(now: number): Promise<readonly ExitDay[]>
}

/** Stores counts. Several processes add to the same ones. */
export type StoredExitDays = {
  /** Adds to the stored counts, and deletes days that are no longer kept. */
  add(counts: readonly ExitDay[], now: number): Promise<void>
  /** The counts of a day, in any order. */
  of(day: string): Promise<readonly ExitDay[]>
}

const warn = (error: unknown): void => process.emitWarning(`the use of exits could not be written: ${error}`)

/** The use of exits on any store. `close` writes the counts that are only in memory. */
export function exitDaysOn(
  stored: StoredExitDays,
  options: WriteBehindOptions = {},
): ExitDays & { close(): Promise<void> } {
  const { onError = warn } = options
  const unsaved = new Map<string, ExitDay>()
  let latest = 0
  const flush = async () => {
    const counts = [...unsaved.values()]
    if (counts.length === 0) return
    unsaved.clear()
    try {
      await stored.add(counts, latest)
    } catch (error) {
      // They may have been written though the answer was lost, and then count twice: better than an outage without any.
      for (const each of counts) addTo(unsaved, each)
      onError(error)
    }
  }
  const { arm, close } = writeBehind(unsaved, flush, options)
  return {
    count(label, source, counts, now) {
      latest = Math.max(latest, Math.floor(now))
      addTo(unsaved, { day: dayOf(now), label, source, ...counts })
      arm()
    },
    async days(now) {
      await flush()
      const days: (readonly ExitDay[])[] = []
      for (let age = KEPT_DAYS - 1; age >= 0; age--) {
        days.push(await stored.of(dayOf(now - age * DAY_MS)))
        // With hundreds of exits a day takes milliseconds, and other requests come in between.
        await nextTurn()
      }
      return days.flat()
    },
    close,
  }
}

/** Adds counts to those of the same day, exit and source. @param sums keyed by these three */
export function addTo(sums: Map<string, ExitDay>, counts: ExitDay): void {
  const key = `${counts.day} ${counts.label} ${counts.source}`
  sums.set(key, { ...counts, ...plus(sums.get(key) ?? NO_COUNTS, counts) })
}

export const NO_COUNTS: ExitCounts = { runs: 0, blocked: 0, failed: 0, requests: 0, bytes: 0 }

export const plus = (one: ExitCounts, other: ExitCounts): ExitCounts => ({
  runs: one.runs + other.runs,
  blocked: one.blocked + other.blocked,
  failed: one.failed + other.failed,
  requests: one.requests + other.requests,
  bytes: one.bytes + other.bytes,
})
