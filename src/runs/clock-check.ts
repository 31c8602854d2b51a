/**
 * Whether the clock can be trusted to delete by: if it is far ahead, everything looks expired.
 *
 * The clock is compared with the time of the log's newest event at the start, and with the time that has passed since.
 * If it is more than a day ahead, nothing was written for so long, or the clock is wrong. Nothing is deleted before a
 * second look an hour later, when the clock may have been set right.
 *
 * @module
 */
import { clock } from '../async/clock.ts'
import { HOUR_MS } from '../async/repeat.ts'
import type { EventLog } from '../log/event-log.ts'
import type { Logger } from '../logger.ts'

export type ClockCheckDeps = {
  readonly log: Pick<EventLog, 'lastEvent'>
  readonly logger: Pick<Logger, 'warn'>
  /** milliseconds since 1970 */
  readonly now: () => number
}

/** How far the clock may be ahead, in milliseconds. */
const AHEAD_MS = 24 * HOUR_MS
const SECOND_LOOK_MS = HOUR_MS

/** Times are milliseconds since 1970; `monotonic`: of `clock.monotonic()`. */
export class ClockCheck {
  /** a time that was right, and when it was so */
  private known: { readonly at: number; readonly monotonic: number } | undefined
  private doubt: { readonly lastAt: number; readonly lookAt: number } | undefined
  private checking: Promise<boolean> | undefined

  constructor(private readonly deps: ClockCheckDeps) {}

  /** @throws {StoreUnavailable} when the log can't be read */
  isTrusted(): Promise<boolean> {
    this.checking ??= this.check().finally(() => {
      this.checking = undefined
    })
    return this.checking
  }

  private async check(): Promise<boolean> {
    const now = this.deps.now()
    const monotonic = clock.monotonic()
    this.known ??= { at: (await this.lastAt()) ?? now, monotonic }
    const expected = this.known.at + monotonic - this.known.monotonic
    if (now - expected <= AHEAD_MS) return this.trust(Math.max(now, expected), monotonic)
    if (this.doubt && monotonic < this.doubt.lookAt) return false
    const lastAt = (await this.lastAt()) ?? 0
    // Events of other processes show what time it is. Without new ones, the log was idle.
    const isWrong = this.doubt !== undefined && lastAt > this.doubt.lastAt && now - lastAt > AHEAD_MS
    if (this.doubt && !isWrong) return this.trust(now, monotonic)
    this.doubt = { lastAt, lookAt: monotonic + SECOND_LOOK_MS }
    this.deps.logger.warn(
      { clock: new Date(now).toISOString(), newest_event: new Date(lastAt).toISOString() },
      'The clock is more than a day ahead of the newest event. Expired data is not deleted before another look in an hour: if the clock is wrong, set it right.',
    )
    return false
  }

  private trust(at: number, monotonic: number): true {
    this.known = { at, monotonic }
    this.doubt = undefined
    return true
  }

  /** When the newest event was written, by the clock of its writer. */
  private async lastAt(): Promise<number | undefined> {
    const last = await this.deps.log.lastEvent()
    const at = Date.parse(last?.meta.at ?? '')
    return Number.isNaN(at) ? undefined : at
  }
}
