/**
 * What a process shows of its condition: how late its event loop is, and how many messages it sends.
 *
 * @module
 */
import { clock } from '../../async/clock.ts'

/** The most messages a second: a plugin that floods the service with them would keep it from everything else. */
export const MOST_MESSAGES = 10_000
/** So many late ticks without one heartbeat that is on time. */
const LATE_TICKS = 2

export class Vitals {
  private lateTicks = 0
  /** heartbeats in a row that reported a late event loop */
  lateBeats = 0
  /** messages beyond {@link MOST_MESSAGES} a second, as of `watchedAt`, in milliseconds of `clock.monotonic()` */
  private messages = 0
  private watchedAt = clock.monotonic()

  get isLate(): boolean {
    return this.lateTicks >= LATE_TICKS
  }

  /** A heartbeat. @param late how often its timer was late @returns whether it is late, or has caught up, since now */
  beat(late: number): boolean {
    const wasLate = this.isLate
    this.lateTicks = late === 0 ? 0 : this.lateTicks + late
    this.lateBeats = late === 0 ? 0 : this.lateBeats + 1
    return wasLate !== this.isLate
  }

  /** Counts messages. @returns whether there are too many */
  isFlood(messages: number): boolean {
    this.messages += messages
    return this.messages > MOST_MESSAGES * (1 + (clock.monotonic() - this.watchedAt) / 1000)
  }

  watched(): void {
    const now = clock.monotonic()
    this.messages = Math.max(0, this.messages - (MOST_MESSAGES * (now - this.watchedAt)) / 1000)
    this.watchedAt = now
  }
}
