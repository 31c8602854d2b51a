/**
 * Locks a user, or a flow without a user, for a short while after too many wrong attempts.
 *
 * @module
 */

const MAX_ATTEMPTS = 5

export class Lockout {
  private readonly wrong = new Map<string, { count: number; lockedUntil: number }>()

  /** @param lockMs duration of a lock, in milliseconds */
  constructor(
    private readonly lockMs: number,
    private readonly now: () => number,
  ) {}

  /** How much longer a subject is locked, in whole seconds; 0 when it is not. */
  lockedS(subject: string): number {
    const left = (this.wrong.get(subject)?.lockedUntil ?? 0) - this.now()
    return Math.max(0, Math.ceil(left / 1000))
  }

  failed(subject: string): void {
    const count = (this.wrong.get(subject)?.count ?? 0) + 1
    const isLocked = count === MAX_ATTEMPTS
    this.wrong.set(subject, {
      count: isLocked ? 0 : count,
      lockedUntil: isLocked ? this.now() + this.lockMs : 0,
    })
  }

  succeeded(subject: string): void {
    this.wrong.delete(subject)
  }
}
