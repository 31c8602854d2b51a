/**
 * Callers that wait until something has come as far as a position. One whose time is up is forgotten at once.
 *
 * @module
 */
import { clearTimeout, setTimeout } from '../async/timers.ts'

type Waiter = PromiseWithResolvers<boolean> & { readonly position: number }

export class Waiters {
  private readonly waiting = new Set<Waiter>()

  /** How many wait. */
  get size(): number {
    return this.waiting.size
  }

  /**
   * Waits until {@link reached} is told of the position.
   *
   * @param timeoutMs milliseconds; for ever by default
   * @returns false when time is up, or at the {@link end}
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

  /** It has come as far as this. */
  reached(position: number): void {
    for (const waiter of this.waiting) if (waiter.position <= position) waiter.resolve(true)
  }

  /** It will come no further. */
  end(): void {
    for (const waiter of this.waiting) waiter.resolve(false)
  }
}
