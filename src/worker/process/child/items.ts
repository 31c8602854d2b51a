/**
 * Sends items from the child to the service, in batches so that a run costs few messages, and early enough that a
 * killed child loses little.
 *
 * @module
 */
import { clearTimeout, setTimeout, type Timer } from '../../../async/timers.ts'
import type { Items, OfRun } from '../from-child.ts'

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
