/**
 * How long runs of a task take, as far as it matters here: so short that one may wait for another.
 *
 * @module
 */

/** A run is short below this, on average, in milliseconds. */
const SHORT_MS = 2
/** Runs of a task that must have been seen before it counts as short. */
const ENOUGH = 20
/** How much the newest run counts in the average. */
const WEIGHT = 0.1

export class Durations {
  private readonly tasks = new Map<string, { average: number; seen: number }>()

  /** A run of a task took so long, in milliseconds, or has taken so long already. */
  note(taskKey: string, ms: number): void {
    const known = this.tasks.get(taskKey)
    if (!known) this.tasks.set(taskKey, { average: ms, seen: 1 })
    else {
      known.average += (ms - known.average) * WEIGHT
      known.seen++
    }
  }

  isShort(taskKey: string): boolean {
    const known = this.tasks.get(taskKey)
    return known !== undefined && known.seen >= ENOUGH && known.average < SHORT_MS
  }
}
