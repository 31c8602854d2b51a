/**
 * Streams of events that stay open: how many an account may have, and what ends one though its client stays: the end
 * of its key.
 *
 * @module
 */
import { type KeyId, keyStream } from '../domain/ids.ts'
import { refusalOf } from '../domain/key.ts'
import { load } from '../log/execute.ts'
import { keyFold } from '../log/folds.ts'
import type { Deps } from './deps.ts'
import type { Call } from './endpoint.ts'
import { Problem } from './problems.ts'
import { type SseMessage, sseResponse } from './sse.ts'

/** Makes a stream's messages, until `signal` aborts. */
export type Produce = (signal: AbortSignal) => AsyncIterable<SseMessage>

const RETRY_S = 5
/** The longest time that a timer takes, in milliseconds. A stream that ends then is opened anew by its client. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The streams of one endpoint in this process. */
export class Streams {
  private readonly open = new Map<string, number>()

  /** @param most how many an account, or the operator, may have open at once */
  constructor(
    private readonly deps: Deps,
    private readonly most: number,
  ) {}

  /**
   * Answers with a stream. It ends with what it tells, with its client, with its key and with the process.
   *
   * @throws {Problem} 429 when the account has too many
   */
  answer(call: Call, produce: Produce): Response {
    const { deps, most } = this
    const { requestId, principal } = call
    const owner = principal.kind === 'key' ? principal.accountId : 'operator'
    if (this.count(owner) >= most) {
      const detail = `There are already ${most} of these streams open. Close one first.`
      throw new Problem('rate-limited', { detail, extras: { retry_after_s: RETRY_S } })
    }
    const keyId = principal.kind === 'key' ? principal.keyId : undefined
    return sseResponse((signal) => this.counted(owner, keyId, produce, signal), {
      closing: deps.closing,
      failed: (err) => deps.logger.error({ err, request_id: requestId }, 'an event stream broke off'),
    })
  }

  private count(owner: string): number {
    return this.open.get(owner) ?? 0
  }

  /** Begins when the client reads for the first time: an answer that nobody reads is none that is open. */
  private async *counted(
    owner: string,
    keyId: KeyId | undefined,
    produce: Produce,
    client: AbortSignal,
  ): AsyncGenerator<SseMessage> {
    const over = new AbortController()
    this.open.set(owner, this.count(owner) + 1)
    let release: (() => void) | undefined
    let unhear: (() => void) | undefined
    try {
      // The positions that its client has mean nothing then: it comes back and is told so.
      unhear = this.deps.tail.onReplaced(() => over.abort())
      release = keyId && (await this.untilKeyEnds(keyId, () => over.abort()))
      yield* produce(AbortSignal.any([client, over.signal]))
    } finally {
      release?.()
      unhear?.()
      const left = this.count(owner) - 1
      if (left > 0) this.open.set(owner, left)
      else this.open.delete(owner)
    }
  }

  /** Calls `end` when the key is revoked or expires, at once when that has happened. @returns how to stop it */
  private async untilKeyEnds(keyId: KeyId, end: () => void): Promise<() => void> {
    const { log, tail, now } = this.deps
    const stream = keyStream(keyId)
    // Listens before it reads, so that a revocation in between is heard.
    const silence = tail.on(stream, ({ type }) => type === 'KeyRevoked' && end())
    const { state } = await load(log, stream, keyFold)
    if (refusalOf(state, now())) end()
    const expiresAt = state.status === 'active' ? state.expiresAt : null
    if (expiresAt === null) return silence
    const timer = setTimeout(end, Math.min(Math.max(0, expiresAt - now()), LONGEST_TIMER_MS))
    return () => {
      clearTimeout(timer)
      silence()
    }
  }
}
