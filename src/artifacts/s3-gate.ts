/**
 * How many requests to a store are on their way at once. A store that gets slow is sent fewer, so that those that are on
 * their way are answered in time, and the others wait here, where their time for an answer does not run yet.
 *
 * @module
 */
import { StoreUnavailable } from '../log/event-log.ts'

/** A request was not answered in time. */
export class S3Late extends StoreUnavailable {}

/** It begins with so many, and never goes beyond these. */
const FIRST = 24
const LEAST = 4
const MOST = 96

export class S3Gate {
  private room = FIRST
  private readonly gate = new Gate(() => this.width)
  /** whether it was too much once: then it grows slowly */
  private hasBeenLate = false
  private narrowedAt = Number.NEGATIVE_INFINITY

  /** How many may be on their way now. */
  get width(): number {
    return Math.floor(this.room)
  }

  /** Does the work when there is room; what it returns and throws is its own. An {@link S3Late} makes the gate narrower. */
  pass<T>(work: () => Promise<T>): Promise<T> {
    return this.gate.pass(async () => {
      const began = performance.now()
      const { isFull } = this.gate
      try {
        const value = await work()
        if (isFull) this.widen()
        return value
      } catch (error) {
        if (error instanceof S3Late) this.narrow(began)
        throw error
      }
    })
  }

  /** Twice as much in the time of one answer at first; one more in that time once it was too much. */
  private widen(): void {
    this.room = Math.min(MOST, this.room + (this.hasBeenLate ? 1 / this.room : 1))
  }

  /** By half; many that were sent together are late together, which says it once. */
  private narrow(began: number): void {
    if (began < this.narrowedAt) return
    this.narrowedAt = performance.now()
    this.hasBeenLate = true
    this.room = Math.max(LEAST, this.room / 2)
  }
}

/** A gate that lets a limited number in. */
class Gate {
  private inside = 0
  private readonly line: (() => void)[] = []

  /** @param most may say another number from time to time; those that are in stay in */
  constructor(private readonly most: () => number) {}

  get isFull(): boolean {
    return this.inside >= this.most()
  }

  /** Does the work when there is room; what it returns and throws is its own. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (!this.isFull) this.inside++
    else await new Promise<void>((go) => this.line.push(go))
    try {
      return await work()
    } finally {
      this.inside--
      for (; !this.isFull; this.inside++) {
        const next = this.line.shift()
        if (!next) break
        next()
      }
    }
  }
}
