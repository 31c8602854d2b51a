/**
 * A FIFO queue from which any item can be removed.
 *
 * @module
 */

/** Each operation takes O(1). Adding an item that is already queued keeps its place. */
export class Fifo<T> extends Set<T> {
  /** Has passed the first item. A new iterator would have to skip all items removed before it. */
  private reader = this.values()
  private head: T | undefined

  /** The first item, which stays in the queue; undefined when there is none. */
  get first(): T | undefined {
    if (this.head === undefined && this.size > 0) this.head = this.read()
    return this.head
  }

  override delete(item: T): boolean {
    if (item === this.head) this.head = undefined
    return super.delete(item)
  }

  override clear(): void {
    this.head = undefined
    super.clear()
  }

  private read(): T | undefined {
    const { value, done } = this.reader.next()
    if (!done) return value
    // An iterator that has reached the end stays there, so a new one is needed.
    this.reader = this.values()
    return this.reader.next().value
  }
}
