/**
 * A binary heap: the smallest of many in O(log n).
 *
 * @module
 */

export class Heap<T> {
  private items: T[] = []

  /** @param before whether `a` comes out before `b` */
  constructor(private readonly before: (a: T, b: T) => boolean) {}

  get size(): number {
    return this.items.length
  }

  peek(): T | undefined {
    return this.items[0]
  }

  push(item: T): void {
    const { items } = this
    let at = items.length
    items.push(item)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.before(item, items[parent]!)) break
      items[at] = items[parent]!
      at = parent
    }
    items[at] = item
  }

  pop(): T | undefined {
    const top = this.items[0]
    const last = this.items.pop()
    if (this.items.length > 0) this.sink(last!)
    return top
  }

  /** Drops all that does not pass, in O(n). */
  keep(passes: (item: T) => boolean): void {
    const kept = this.items.filter(passes)
    this.items = []
    for (const item of kept) this.push(item)
  }

  /** Puts an item where the top was, and down to its place. */
  private sink(item: T): void {
    const { items } = this
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= items.length) break
      if (child + 1 < items.length && this.before(items[child + 1]!, items[child]!)) child++
      if (!this.before(items[child]!, item)) break
      items[at] = items[child]!
      at = child
    }
    items[at] = item
  }
}
