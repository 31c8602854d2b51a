/**
 * Server-Sent Events. Messages are produced only as fast as the client reads them. Comments keep an idle connection
 * alive. The number of open streams of an account is limited. A stream ends when its client disconnects, when its key
 * ends, or when the process stops.
 *
 * @module
 */
import { clearTimeout, setTimeout, type Timer } from '../async/timers.ts'
import { accountStream, keyStream } from '../domain/ids.ts'
import { keyDecider, keyIssue } from '../domain/key.ts'
import type { KeyPrincipal } from '../keys/principal.ts'
import { load } from '../log/execute.ts'
import { Text } from '../schema.ts'
import { brokeOff, streamed } from './answers.ts'
import type { Deps } from './deps.ts'
import type { Call } from './endpoint.ts'
import { Problem } from './problems.ts'

/** Documents the header that resumes a stream. */
export const LAST_EVENT_ID = {
  'Last-Event-ID': Text('The last `id` that you received: the stream resumes after it.'),
}

/**
 * A message with `data` in one line, or only a position if there is nothing to send. By the specification, a block
 * without data sets the `id` that a client sends when it reconnects, and does not dispatch an event.
 */
export type SseMessage =
  | { readonly id: string; readonly event: string; readonly data: string }
  | { readonly id: string }

/** Produces a stream's messages until `signal` aborts. */
export type Produce = (signal: AbortSignal) => AsyncIterable<SseMessage>

/** The API promises a comment every 8 seconds; this leaves a margin for a slow network. */
const COMMENT_EVERY_MS = 5000

/** Sets the client's reconnection delay, in milliseconds. Sending it first flushes the headers at once. */
const HELLO = 'retry: 2000\n\n'
const COMMENT = ': \n\n'

export type SseOptions = {
  /** ends the stream when it aborts, because the process is about to stop */
  readonly closing: AbortSignal
  /** called if producing messages failed; the stream is then aborted and the client reconnects */
  readonly failed: (error: unknown) => void
  /** milliseconds of silence before a comment; 5000 by default */
  readonly commentEveryMs?: number
}

/**
 * Answers with a stream of messages.
 *
 * @param produce produces the messages. It must stop waiting when `signal` aborts: the client has disconnected, or the
 *   process is about to stop
 */
export function sseResponse(produce: Produce, options: SseOptions): Response {
  const { closing, failed, commentEveryMs = COMMENT_EVERY_MS } = options
  const left = new AbortController()
  const signal = AbortSignal.any([closing, left.signal])
  async function* frames(): AsyncGenerator<string> {
    const messages = produce(signal)[Symbol.asyncIterator]()
    // Listens before the client learns that the stream is open, since it may read the current state then.
    let next: Promise<IteratorResult<SseMessage>> | undefined = messages.next()
    next.catch(() => {})
    try {
      yield HELLO
      for (;;) {
        next ??= messages.next()
        // Does not use `delay`: its signal would cost four times as much for each message.
        let timer: Timer | undefined
        const quiet = new Promise<void>((go) => {
          timer = setTimeout(go, commentEveryMs)
        })
        const result = await Promise.race([next, quiet]).finally(() => clearTimeout(timer))
        if (result?.done) return
        if (result) next = undefined
        yield result ? frame(result.value) : COMMENT
      }
    } catch (error) {
      // A failure after the end of the stream has no consequence.
      if (!signal.aborted) failed(error)
      throw error
    } finally {
      left.abort()
      await messages.return?.()
    }
  }
  return new Response(
    streamed(frames(), () => left.abort()),
    {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      },
    },
  )
}

const frame = (message: SseMessage): string =>
  'data' in message
    ? `id: ${message.id}\nevent: ${message.event}\ndata: ${message.data}\n\n`
    : `: \nid: ${message.id}\n\n`

const RETRY_S = 5
/** Maximum delay of a timer, in milliseconds. If a stream ends because of it, the client reconnects. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

type StreamDeps = Pick<Deps, 'tail' | 'closing' | 'logger'>

/** An open stream. `end` ends it. */
type OpenStream = { readonly opener: string; end(): void }

/**
 * The open streams of one kind in this process. Their number is limited by owner. A client that vanished without a word
 * keeps its stream open for minutes. So a further stream ends the oldest one of the same opener.
 */
export class Streams {
  /** by owner, the oldest first */
  private readonly open = new Map<string, Set<OpenStream>>()

  /**
   * @param most maximum number of open streams of one owner
   * @param failure log message for a failed stream
   */
  constructor(
    private readonly most: number,
    private readonly failure: string,
  ) {}

  /**
   * Answers with a stream. It ends after its last message, when its client disconnects, when the process stops, or when
   * its opener opens too many others.
   *
   * @param opener who opens it for the owner, such as a key of an account; by default, the owner
   * @throws {Problem} 429 if the owner has too many streams, all of them of other openers
   */
  answer(
    deps: StreamDeps,
    call: Pick<Call, 'requestId'>,
    { owner, opener = owner }: { readonly owner: string; readonly opener?: string },
    produce: Produce,
  ): Response {
    if (this.openOf(owner).size >= this.most && !this.oldestOf(owner, opener)) {
      const detail = `The account already has ${this.most} of these streams open with other keys. Close one first.`
      throw new Problem('rate-limited', { detail, extras: { retry_after_s: RETRY_S } })
    }
    return sseResponse((signal) => this.counted(deps.tail, owner, opener, produce, signal), {
      closing: deps.closing,
      failed: brokeOff(deps, call, this.failure),
    })
  }

  /** Starts when the client first reads: a response that is never read does not count as open. */
  private async *counted(
    tail: Deps['tail'],
    owner: string,
    opener: string,
    produce: Produce,
    client: AbortSignal,
  ) {
    const ended = new AbortController()
    const end = () => {
      this.close(owner, stream)
      ended.abort()
    }
    const stream: OpenStream = { opener, end }
    if (this.openOf(owner).size >= this.most) this.oldestOf(owner, opener)?.end()
    this.open.set(owner, this.openOf(owner).add(stream))
    // The client's positions are invalid in another log. The stream ends; the reconnecting client gets an error.
    const unhear = tail.onReplaced(end)
    try {
      yield* produce(AbortSignal.any([client, ended.signal]))
    } finally {
      unhear()
      this.close(owner, stream)
    }
  }

  private close(owner: string, stream: OpenStream): void {
    const streams = this.openOf(owner)
    streams.delete(stream)
    if (streams.size === 0) this.open.delete(owner)
  }

  private openOf(owner: string): Set<OpenStream> {
    return this.open.get(owner) ?? new Set()
  }

  private oldestOf(owner: string, opener: string): OpenStream | undefined {
    return [...this.openOf(owner)].find((stream) => stream.opener === opener)
  }
}

/**
 * Answers with a stream. It ends after its last message, when its client disconnects, when its key ends or opens too
 * many others, or when the process stops.
 */
export type AnswerStream = (call: Call, produce: Produce) => Response

/**
 * The open streams of one API endpoint in this process.
 *
 * @param most maximum number of open streams of one account, or of the operator
 * @returns a function that answers with a stream; it throws {Problem} 429 if the account has too many
 */
export function keyStreams(deps: Deps, most: number): AnswerStream {
  const streams = new Streams(most, 'An event stream broke off. Its client can resume with Last-Event-ID.')
  return (call, produce) => {
    const { principal } = call
    if (principal.kind !== 'key') return streams.answer(deps, call, { owner: 'operator' }, produce)
    const { accountId: owner, keyId: opener } = principal
    return streams.answer(deps, call, { owner, opener }, (signal) =>
      whileKeyLasts(deps, principal, produce, signal),
    )
  }
}

/** Produces messages until the key is revoked or expires, or until its maker leaves the account. */
async function* whileKeyLasts(deps: Deps, key: KeyPrincipal, produce: Produce, signal: AbortSignal) {
  const { log, tail, accounts, now } = deps
  const { keyId, accountId, madeBy } = key
  const stream = keyStream(keyId)
  const ended = new AbortController()
  const end = () => ended.abort()
  let timer: Timer | undefined
  // Listens before it reads, so that nothing in between is missed.
  const stopKey = tail.on(stream, ({ type }) => type === 'KeyRevoked' && end())
  const stopMaker =
    madeBy &&
    tail.on(accountStream(accountId), ({ event }) => {
      if (event?.type === 'MemberRemoved' && event.data.person_id === madeBy) end()
    })
  try {
    const { state } = await load(log, stream, keyDecider)
    if (keyIssue(state, now())) end()
    if (madeBy && (await accounts.lastSeen(accountId)).members.former.includes(madeBy)) end()
    const expiresAt = state.status === 'active' ? state.key.expires_at : null
    if (expiresAt !== null)
      timer = setTimeout(end, Math.min(Math.max(0, Date.parse(expiresAt) - now()), LONGEST_TIMER_MS))
    yield* produce(AbortSignal.any([signal, ended.signal]))
  } finally {
    clearTimeout(timer)
    stopKey()
    stopMaker?.()
  }
}
