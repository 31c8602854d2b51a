/**
 * Waking somebody who waits for news.
 *
 * @module
 */
import { clearTimeout, setTimeout } from './timers.ts'

/** For one who waits, at most: a ring that nobody waits for is kept for whoever waits next. */
export class Bell {
  private isRung = false
  private wake: (() => void) | undefined

  ring(): void {
    this.isRung = true
    this.wake?.()
  }

  /**
   * Waits for a ring; one since the last wait counts.
   *
   * @param ms for so long, in milliseconds; for ever by default
   * @returns false when none came in time
   */
  async rung(ms?: number): Promise<boolean> {
    if (!this.isRung)
      await new Promise<void>((go) => {
        const timer = ms === undefined ? undefined : setTimeout(go, ms)
        this.wake = () => {
          clearTimeout(timer)
          go()
        }
      })
    const { isRung } = this
    this.isRung = false
    return isRung
  }
}
