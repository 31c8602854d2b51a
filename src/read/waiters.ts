/**
 * Callers that wait until something has come as far as a position. One whose time is up is forgotten at once.
 *
 * @module
 */

type Waiter = { readonly position: number; readonly done: (reached: boolean) => void }

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
  wait(position: number, timeoutMs?: number): Promise<boolean> {
    return new Promise((answer) => {
      let timer: ReturnType<typeof setTimeout> | undefined
      const waiter: Waiter = {
        position,
        done: (reached) => {
          clearTimeout(timer)
          this.waiting.delete(waiter)
          answer(reached)
        },
      }
      this.waiting.add(waiter)
      if (timeoutMs !== undefined) timer = setTimeout(() => waiter.done(false), timeoutMs)
    })
  }

  /** It has come as far as this. */
  reached(position: number): void {
    for (const waiter of this.waiting) if (waiter.position <= position) waiter.done(true)
  }

  /** It will come no further. */
  end(): void {
    for (const waiter of this.waiting) waiter.done(false)
  }
}
