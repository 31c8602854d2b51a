/**
 * Responses that a page receives, buffered for listeners that were registered before they arrived.
 *
 * @module
 */
import { unlessAborted } from '../../async/abort.ts'
import { clearTimeout, setTimeout } from '../../async/timers.ts'
import type { Answers, Reply } from '../../plugin.ts'
import { type Arrived, replyOfArrived, tooLarge } from './arrived.ts'

/** The most that is buffered for one listener, in bytes. */
const MOST_KEPT_BYTES = 64 * 1024 * 1024
const TIMEOUT_S = 15

/** One listener. It returns responses in the order of their arrival. */
export class Listener implements Answers {
  private readonly kept: Arrived[] = []
  private keptBytes = 0
  private waiting: (() => void) | undefined

  constructor(
    readonly url: RegExp,
    private readonly ending: AbortController,
  ) {
    // With these flags an expression keeps its last position, and would skip every other match.
    if (url.global || url.sticky) throw new TypeError(`${url} must not have the flags g or y`)
  }

  add(arrived: Arrived): void {
    const bytes = arrived.body instanceof Uint8Array ? arrived.body.length : 0
    const tooMuch = this.keptBytes + bytes > MOST_KEPT_BYTES
    this.keptBytes += tooMuch ? 0 : bytes
    this.kept.push(tooMuch ? { ...arrived, body: tooLarge('the backlog of unread responses') } : arrived)
    this.waiting?.()
  }

  /** Like {@link next}, without the conversion to a reply. */
  async take(timeoutS = TIMEOUT_S): Promise<Arrived | null> {
    if (this.kept.length === 0) await this.arrival(timeoutS)
    const arrived = this.kept.shift()
    if (arrived?.body instanceof Uint8Array) this.keptBytes -= arrived.body.length
    return arrived ?? null
  }

  async next({ timeoutS }: { readonly timeoutS?: number } = {}): Promise<Reply | null> {
    const arrived = await this.take(timeoutS)
    return arrived && replyOfArrived(arrived)
  }

  private async arrival(timeoutS: number): Promise<void> {
    if (this.waiting) throw new TypeError('another call is already waiting for a response')
    const { promise, resolve } = Promise.withResolvers<void>()
    this.waiting = resolve
    const timer = setTimeout(resolve, timeoutS * 1000)
    await unlessAborted(this.ending.signal, promise).finally(() => {
      clearTimeout(timer)
      this.waiting = undefined
    })
  }
}
