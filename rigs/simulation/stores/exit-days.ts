/**
 * The use of exits by day in memory, for all nodes of a simulation. Unlike in Redis, counts are visible to all nodes at
 * once.
 *
 * @module
 */
import {
  addTo,
  dayOf,
  type ExitCounts,
  type ExitDay,
  type ExitDays,
  firstDayAt,
} from '../../../src/ephemeral/exit-days.ts'

export class MemoryExitDays implements ExitDays {
  private readonly rows = new Map<string, ExitDay>()

  count(label: string, source: string, counts: ExitCounts, now: number): void {
    addTo(this.rows, { day: dayOf(now), label, source, ...counts })
  }

  async days(now: number): Promise<readonly ExitDay[]> {
    const first = firstDayAt(now)
    return [...this.rows.values()]
      .filter(({ day }) => day >= first)
      .toSorted((one, other) => (one.day < other.day ? -1 : 1))
  }

  clear(): void {
    this.rows.clear()
  }
}
