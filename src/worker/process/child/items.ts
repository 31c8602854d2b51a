/**
 * Sends items from the child to the service, in batches so that a run costs few messages, and early enough that a
 * killed child loses little. Also counts the fields that items fill in, which reveals a changed source before its runs
 * fail.
 *
 * @module
 */
import { clearTimeout, setTimeout, type Timer } from '../../../async/timers.ts'
import type { Fill, Items, OfRun } from '../from-child.ts'

const FLUSH_MS = 100
const FLUSH_ITEMS = 500
const FLUSH_CHARS = 256 * 1024

export class Outbox {
  private texts: string[] = []
  private chars = 0
  private timer: Timer | undefined

  /** @param send resolves when the message has been written */
  constructor(private readonly send: (message: OfRun) => Promise<void>) {}

  /**
   * @param text of one item, JSON
   * @returns a promise to await for back-pressure, when a batch is sent because it is full
   */
  add(text: string): Promise<void> | undefined {
    this.texts.push(text)
    this.chars += text.length
    if (this.texts.length >= FLUSH_ITEMS || this.chars >= FLUSH_CHARS) return this.flush()
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS)
    return undefined
  }

  flush(): Promise<void> {
    const items = this.take()
    return items.count === 0 ? Promise.resolve() : this.send({ type: 'items', ...items })
  }

  /** Removes and returns the items that were not sent yet. */
  take(): Items {
    clearTimeout(this.timer)
    this.timer = undefined
    const items = { text: this.texts.join(','), count: this.texts.length }
    this.texts = []
    this.chars = 0
    return items
  }
}

/** Counts, for each field, the items of a run in which it is filled in. */
export class Filling {
  private items = 0
  private readonly filled: number[]

  /** @param columns the fields of an item in the order of its schema */
  constructor(private readonly columns: readonly string[]) {
    this.filled = columns.map(() => 0)
  }

  /** @param item an item that matches its schema */
  add(item: Readonly<Record<string, unknown>>): void {
    const { columns, filled } = this
    this.items++
    for (let i = 0; i < columns.length; i++) if ((item[columns[i]!] ?? null) !== null) filled[i]!++
  }

  /** The task starts again: its items so far do not count. */
  clear(): void {
    this.items = 0
    this.filled.fill(0)
  }

  /** The counts so far; null without items. */
  get sums(): Fill | null {
    return this.items === 0 ? null : { items: this.items, filled: this.filled }
  }
}
