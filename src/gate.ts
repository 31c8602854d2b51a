/**
 * How many may be at work at once; the others wait in line.
 *
 * @module
 */

/** A gate that lets a limited number in. */
export class Gate {
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
