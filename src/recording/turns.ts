/**
 * Limits how often captures are taken, for each kind of them.
 *
 * @module
 */

/** One capture of a kind in this time, in milliseconds. */
const EVERY_MS = 600_000

/** The turns of captures: at most one of a kind in ten minutes. */
export class Turns {
  /** when each kind had its last turn */
  private readonly last = new Map<string, number>()

  /**
   * Takes a turn.
   *
   * @param now milliseconds of any clock; one that was set back gives a turn
   * @returns false when this kind had one lately
   */
  take(kind: string, now: number): boolean {
    const before = this.last.get(kind)
    if (before !== undefined && Math.abs(now - before) < EVERY_MS) return false
    this.last.set(kind, now)
    return true
  }
}
