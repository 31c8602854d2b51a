/**
 * Wakes a waiting caller.
 *
 * @module
 */
import { clearTimeout, setTimeout } from './timers.ts'

/** Supports one waiter at a time. A ring without a waiter is kept for the next wait. */
export class Bell {
  private isRung = false
  private wake: (() => void) | undefined

  ring(): void {
    this.isRung = true
    this.wake?.()
  }

  /**
   * Waits for a ring. A ring since the last wait counts.
   *
   * @param ms the time limit in milliseconds; unlimited by default
   * @returns false when no ring came in time
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
