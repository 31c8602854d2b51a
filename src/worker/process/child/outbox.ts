/**
 * Items on their way from the child to the service: sent together, so that a run costs few messages, and early enough
 * that a child which is killed leaves what it had.
 *
 * @module
 */
import type { FromChild, Items } from '../protocol.ts'

const FLUSH_MS = 100
const FLUSH_ITEMS = 500
const FLUSH_CHARS = 256 * 1024

export class Outbox {
  private texts: string[] = []
  private chars = 0
  private timer: ReturnType<typeof setTimeout> | undefined

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
