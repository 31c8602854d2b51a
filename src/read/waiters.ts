/**
 * Callers that wait until a position is reached. A waiter is removed as soon as it times out.
 *
 * @module
 */
import { clearTimeout, setTimeout } from '../async/timers.ts'

type Waiter = PromiseWithResolvers<boolean> & { readonly position: number }

export class Waiters {
  private readonly waiting = new Set<Waiter>()

  /** The number of waiting callers. */
  get size(): number {
    return this.waiting.size
  }

  /**
   * Waits until {@link reached} is called with this position or a later one.
   *
   * @param timeoutMs milliseconds; unlimited by default
   * @returns false after the timeout or {@link end}
   */
  async wait(position: number, timeoutMs?: number): Promise<boolean> {
    const waiter = { position, ...Promise.withResolvers<boolean>() }
    this.waiting.add(waiter)
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => waiter.resolve(false), timeoutMs)
    const isReached = await waiter.promise
    clearTimeout(timer)
    this.waiting.delete(waiter)
    return isReached
  }

  /** Wakes the callers that wait for this position or an earlier one. */
  reached(position: number): void {
    for (const waiter of this.waiting) if (waiter.position <= position) waiter.resolve(true)
  }

  /** Wakes all callers: no further position will be reached. */
  end(): void {
    for (const waiter of this.waiting) waiter.resolve(false)
  }
}
