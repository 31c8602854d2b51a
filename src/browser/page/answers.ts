/**
 * Answers that a page gets, kept for whoever asked for them before they came.
 *
 * @module
 */
import { unlessAborted } from '../../async/abort.ts'
import { clearTimeout, setTimeout } from '../../async/timers.ts'
import type { Answers, Reply } from '../../plugin.ts'
import { type Arrived, replyOfArrived, tooLarge } from './arrived.ts'

/** So much is kept for one listener that does not read, in bytes. */
const MOST_KEPT_BYTES = 64 * 1024 * 1024
const TIMEOUT_S = 15

/** One listener: what arrives is handed out in order. */
export class Listener implements Answers {
  private readonly kept: Arrived[] = []
  private keptBytes = 0
  private waiting: (() => void) | undefined

  constructor(
    readonly url: RegExp,
    private readonly ending: AbortController,
  ) {
    // Such an expression remembers where it stopped: every other address would pass.
    if (url.global || url.sticky) throw new TypeError(`${url} must not have the flags g or y`)
  }

  add(arrived: Arrived): void {
    const bytes = arrived.body instanceof Uint8Array ? arrived.body.length : 0
    const tooMuch = this.keptBytes + bytes > MOST_KEPT_BYTES
    this.keptBytes += tooMuch ? 0 : bytes
    this.kept.push(tooMuch ? { ...arrived, body: tooLarge('what nobody read') } : arrived)
    this.waiting?.()
  }

  /** As {@link next}, not yet made a reply of. */
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
    if (this.waiting) throw new TypeError('one answer is waited for already')
    const { promise, resolve } = Promise.withResolvers<void>()
    this.waiting = resolve
    const timer = setTimeout(resolve, timeoutS * 1000)
    await unlessAborted(this.ending.signal, promise).finally(() => {
      clearTimeout(timer)
      this.waiting = undefined
    })
  }
}
