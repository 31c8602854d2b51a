/**
 * Items on their way from the child to the service: sent together, so that a run costs few messages, and early enough
 * that a child which is killed leaves what it had. And a count of the fields that they fill in: by that a source that has
 * changed shows before it fails.
 *
 * @module
 */
import { clearTimeout, setTimeout, type Timer } from '../../../async/timers.ts'
import type { Fill, FromChild, Items } from '../heard.ts'

const FLUSH_MS = 100
const FLUSH_ITEMS = 500
const FLUSH_CHARS = 256 * 1024

export class Outbox {
  private texts: string[] = []
  private chars = 0
  private timer: Timer | undefined

  /** @param send resolves when the message is written */
  constructor(private readonly send: (message: FromChild) => Promise<void>) {}

  /**
   * @param text of one item, JSON
   * @returns a promise to be waited for, when enough has gathered that the service might fall behind
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

  /** What was not sent yet; nothing is left afterwards. */
  take(): Items {
    clearTimeout(this.timer)
    this.timer = undefined
    const items = { text: this.texts.join(','), count: this.texts.length }
    this.texts = []
    this.chars = 0
    return items
  }
}

/** Counts in how many of its items a run fills in each field. */
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
