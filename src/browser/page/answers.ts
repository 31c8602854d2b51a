/**
 * Responses that a page receives, buffered for listeners that were registered before they arrived.
 *
 * @module
 */
import { unlessAborted } from '../../async/abort.ts'
import { clearTimeout, setTimeout } from '../../async/timers.ts'
import type { Answers, Reply } from '../../plugin.ts'
import { type Arrived, replyOfArrived, tooLarge } from './arrived.ts'

/** The most that is buffered for one listener: bytes of addresses, headers and bodies, and a number of responses. */
const MOST_KEPT_BYTES = 64 * 1024 * 1024
const MOST_KEPT = 10_000
const BACKLOG = 'the backlog of unread responses'
const TIMEOUT_S = 15

/** @throws {TypeError} for a pattern that is no expression, or would not match every time */
export function checkPattern(url: RegExp): void {
  if (!(url instanceof RegExp))
    throw new TypeError('answers takes an expression, such as /\\/api\\/lamps\\//')
  // With these flags an expression keeps its last position, and would skip every other match.
  if (url.global || url.sticky) throw new TypeError(`${url} must not have the flags g or y`)
}

/** One listener. It returns responses in the order of their arrival. */
export class Listener implements Answers {
  private readonly kept: Arrived[] = []
  private keptBytes = 0
  /** a response was dropped, which the reader must learn */
  private hasLost = false
  private waiting: (() => void) | undefined

  constructor(
    readonly url: RegExp,
    private readonly ending: AbortController,
  ) {
    checkPattern(url)
  }

  /** Buffers a response: without its headers and body, or not at all, when the backlog gets too large. */
  add(arrived: Arrived): void {
    const bare = { ...arrived, headers: new Headers(), body: tooLarge(BACKLOG) }
    const kept = [arrived, bare].find((each) => this.hasRoomFor(each))
    if (kept) {
      this.kept.push(kept)
      this.keptBytes += sizeOf(kept)
    } else this.hasLost = true
    this.waiting?.()
  }

  /**
   * Like {@link next}, without the conversion to a reply.
   *
   * @throws {SourceError} once, after the last buffered response, if responses after it were dropped
   */
  async take(timeoutS = TIMEOUT_S): Promise<Arrived | null> {
    if (this.kept.length === 0 && this.hasLost) {
      this.hasLost = false
      throw tooLarge(BACKLOG)
    }
    if (this.kept.length === 0) await this.arrival(timeoutS)
    const arrived = this.kept.shift()
    if (arrived) this.keptBytes -= sizeOf(arrived)
    return arrived ?? null
  }

  async next({ timeoutS }: { readonly timeoutS?: number } = {}): Promise<Reply | null> {
    const arrived = await this.take(timeoutS)
    return arrived && replyOfArrived(arrived)
  }

  private hasRoomFor(arrived: Arrived): boolean {
    return this.kept.length < MOST_KEPT && this.keptBytes + sizeOf(arrived) <= MOST_KEPT_BYTES
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

function sizeOf({ url, headers, body }: Arrived): number {
  let size = url.length + (body instanceof Uint8Array ? body.length : 0)
  for (const [name, value] of headers) size += name.length + value.length
  return size
}
