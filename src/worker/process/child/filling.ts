/**
 * Counts how much of its items a run fills in: by that a source that has changed shows before it fails.
 *
 * @module
 */
import type { Fill } from '../protocol.ts'

export class Filling {
  private items = 0
  private readonly filled: number[]

  /** @param columns the fields of an item in the order of its schema */
  constructor(private readonly columns: readonly string[]) {
    this.filled = columns.map(() => 0)
  }

  /** @param item as its schema says */
  add(item: Readonly<Record<string, unknown>>): void {
    const { columns, filled } = this
    this.items++
    for (let i = 0; i < columns.length; i++) if ((item[columns[i]!] ?? null) !== null) filled[i]!++
  }

  /** The task begins anew: what it brought so far does not count. */
  clear(): void {
    this.items = 0
    this.filled.fill(0)
  }

  /** What has come; null where nothing has. */
  get sums(): Fill | null {
    return this.items === 0 ? null : { items: this.items, filled: this.filled }
  }
}
