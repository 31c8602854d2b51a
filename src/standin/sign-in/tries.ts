/**
 * Too many wrong tries lock whoever they were for, for a short while.
 *
 * @module
 */

const MOST = 5

export class Tries {
  private readonly wrong = new Map<string, { count: number; lockedUntil: number }>()

  /** @param lockMs for how long, in milliseconds */
  constructor(
    private readonly lockMs: number,
    private readonly now: () => number,
  ) {}

  /** How long somebody is locked still, in whole seconds; 0 when they are not. */
  lockedS(subject: string): number {
    const left = (this.wrong.get(subject)?.lockedUntil ?? 0) - this.now()
    return Math.max(0, Math.ceil(left / 1000))
  }

  failed(subject: string): void {
    const count = (this.wrong.get(subject)?.count ?? 0) + 1
    const isLocked = count === MOST
    this.wrong.set(subject, {
      count: isLocked ? 0 : count,
      lockedUntil: isLocked ? this.now() + this.lockMs : 0,
    })
  }

  succeeded(subject: string): void {
    this.wrong.delete(subject)
  }
}
