/**
 * The newest events of a visit with their numbers, for who has missed some.
 *
 * @module
 */
import type { VisitEvent } from '../session.ts'

/** So many are kept; the oldest go. */
const MOST_EVENTS = 100

export class Outbox {
  private readonly newest: VisitEvent[] = []
  private count = 0

  /** The number of the last event; 0: there was none. */
  get last(): number {
    return this.count
  }

  /** @returns its number */
  add(event: VisitEvent): number {
    this.newest.push(event)
    if (this.newest.length > MOST_EVENTS) this.newest.shift()
    return ++this.count
  }

  /** Those with higher numbers, as far as they are still known. */
  after(n: number): VisitEvent[] {
    const missed = Math.min(this.newest.length, Math.max(0, this.count - n))
    return this.newest.slice(this.newest.length - missed)
  }
}
