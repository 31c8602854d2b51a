/**
 * How many may be at work at once; the others wait in line.
 *
 * @module
 */

/** A gate that lets a limited number in. */
export class Gate {
  private free: number
  private readonly line: (() => void)[] = []

  constructor(most: number) {
    this.free = most
  }

  /** Does the work when there is room; what it returns and throws is its own. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--
    else await new Promise<void>((go) => this.line.push(go))
    try {
      return await work()
    } finally {
      const next = this.line.shift()
      if (next) next()
      else this.free++
    }
  }
}
