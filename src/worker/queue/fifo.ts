/**
 * A queue, first in, first out, from which any item can be removed: each operation takes O(1).
 *
 * @module
 */

export class Fifo<T> {
  private readonly items = new Set<T>()
  /** Stays at the first item. A new iterator would have to pass all that was removed before it. */
  private reader = this.items.values()

  get size(): number {
    return this.items.size
  }

  /** Without removing it, in O(n). */
  get first(): T | undefined {
    return this.items.values().next().value
  }

  /** An item that is in the queue already keeps its place. */
  add(item: T): void {
    this.items.add(item)
  }

  delete(item: T): void {
    this.items.delete(item)
  }

  /** Removes the first item. @returns undefined when there is none */
  shift(): T | undefined {
    let { value, done } = this.reader.next()
    if (done) {
      // It has reached the end before, and stays there.
      this.reader = this.items.values()
      value = this.reader.next().value
    }
    if (value !== undefined) this.items.delete(value)
    return value
  }
}
