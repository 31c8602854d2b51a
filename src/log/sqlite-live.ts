/**
 * What a live subscriber of the embedded log has not taken yet: events straight from the commit that wrote them, and
 * whether the file must be read because some are missing.
 *
 * @module
 */
import type { Recorded } from './event-log.ts'

/** Events that a live subscriber may be behind before it reads from the file again. */
const LIVE_BUFFER = 20_000

/** What one live subscriber has not taken yet. */
export class Live {
  private batches: (readonly Recorded[])[] = []
  private size = 0
  private readFile = false
  private waiting: (() => void) | undefined
  private awake = false

  /** Events of one commit of this process, in order and right after what was pushed before. */
  push(events: readonly Recorded[]): void {
    this.size += events.length
    if (this.size > LIVE_BUFFER) this.missed()
    else if (!this.readFile) this.batches.push(events)
    this.wake()
  }

  /** There are events that were not pushed: the file has them. */
  missed(): void {
    this.readFile = true
    this.batches = []
    this.size = 0
    this.wake()
  }

  wake(): void {
    this.awake = true
    this.waiting?.()
  }

  /** Resolves when there is something to take, or somebody called `wake`. */
  woken(): Promise<void> {
    if (this.awake) return Promise.resolve()
    return new Promise((go) => {
      this.waiting = () => {
        this.waiting = undefined
        go()
      }
    })
  }

  /** The events after a position, or undefined when they must be read from the file. */
  take(last: number): Recorded[] | undefined {
    this.awake = false
    const events = this.batches.flat().filter((e) => e.position > last)
    this.batches = []
    this.size = 0
    const next = events[0]
    if (this.readFile || (next && next.position !== last + 1)) {
      this.readFile = false
      return undefined
    }
    return events
  }
}
