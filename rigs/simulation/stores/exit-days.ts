/**
 * The use of exits by day in memory, for all nodes of a simulation. Unlike in Redis, counts are visible to all nodes at
 * once.
 *
 * @module
 */
import {
  dayOf,
  type ExitCounts,
  type ExitDay,
  type ExitDays,
  firstDayAt,
} from '../../../src/ephemeral/exit-days.ts'

export class MemoryExitDays implements ExitDays {
  private readonly rows = new Map<string, ExitDay>()

  count(label: string, source: string, counts: ExitCounts, now: number): void {
    const day = dayOf(now)
    const key = `${day} ${label} ${source}`
    const row = this.rows.get(key)
    this.rows.set(key, {
      day,
      label,
      source,
      runs: (row?.runs ?? 0) + counts.runs,
      blocked: (row?.blocked ?? 0) + counts.blocked,
      unreachable: (row?.unreachable ?? 0) + counts.unreachable,
      requests: (row?.requests ?? 0) + counts.requests,
      bytes: (row?.bytes ?? 0) + counts.bytes,
    })
  }

  async days(now: number): Promise<readonly ExitDay[]> {
    const first = firstDayAt(now)
    return [...this.rows]
      .filter(([, { day }]) => day >= first)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([, row]) => row)
  }

  clear(): void {
    this.rows.clear()
  }
}
