/**
 * Which questions of a desk a post has heard: each is answered once, in whatever order they come.
 *
 * @module
 */

/** So many are told apart; what is older than all of them counts as heard. */
const MOST = 200

export class Heard {
  private readonly newest = new Set<number>()
  private older = 0

  /** Notes a question by its number. @returns whether it was not heard before */
  isNew(n: number): boolean {
    if (n <= this.older || this.newest.has(n)) return false
    this.newest.add(n)
    if (this.newest.size <= MOST) return true
    for (const first of this.newest) {
      this.newest.delete(first)
      this.older = Math.max(this.older, first)
      break
    }
    return true
  }
}
