/**
 * Values in memory for a while after they were made.
 *
 * @module
 */

/** A map of the newest values, of about a limited size. */
export class Recent<K, V> {
  /** Two halves, since to delete the oldest entries one by one costs more than to drop them together. */
  private newer = new Map<K, V>()
  private older = new Map<K, V>()
  private size = 0

  /** @param limit how much is kept at most, in the unit of the sizes that `set` is given: by default, entries */
  constructor(private readonly limit: number) {}

  get(key: K): V | undefined {
    return this.newer.get(key) ?? this.older.get(key)
  }

  set(key: K, value: V, size = 1): void {
    this.newer.set(key, value)
    this.size += size
    if (this.size < this.limit / 2) return
    this.older = this.newer
    this.newer = new Map()
    this.size = 0
  }

  delete(key: K): void {
    this.newer.delete(key)
    this.older.delete(key)
  }

  clear(): void {
    this.newer.clear()
    this.older.clear()
    this.size = 0
  }
}
