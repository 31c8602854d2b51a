/**
 * One request and its answer over a {@link Way}. Redirects, cookies and further tries are for who asks.
 *
 * @module
 */
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Way, type WayOptions } from './connections.ts'
import { decoded, ENCODINGS } from './decode.ts'

export type Asked = {
  readonly method: string
  readonly headers: Headers
  readonly body?: string | Uint8Array | undefined
  /** ends the request, and the body of its answer */
  readonly signal: AbortSignal
}

/** An answer's head, with the body to be read, or cancelled. */
export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly body: AnswerBody
}

/** A body as it comes, decompressed. */
export type AnswerBody = {
  /** The next piece; undefined at its end. @throws what the connection throws; the signal's reason */
  read(): Promise<Uint8Array | undefined>
  /** Nobody wants the rest. */
  cancel(): void
}

/** How long a connection is kept for a host's next request, in milliseconds. */
const IDLE_MS = 10_000
/** What becomes of a connection that the other side had closed before a request came: nothing was answered. */
const STALE = new Set(['ECONNRESET', 'EPIPE'])

export class HttpClient {
  private readonly way: Way

  constructor(options: WayOptions) {
    this.way = new Way({ idleMs: IDLE_MS, ...options })
  }

  /**
   * Makes one request. Statuses are answers, redirects too.
   *
   * @throws {import('./refused.ts').AddressRefused}
   * @throws the signal's reason, or what the connection throws
   */
  async request(url: URL, asked: Asked): Promise<Answer> {
    for (;;) {
      asked.signal.throwIfAborted()
      const request = this.way.request(url, { method: asked.method, headers: headersOf(asked) })
      try {
        return await answerOf(await sent(request, asked), asked.signal)
      } catch (error) {
        asked.signal.throwIfAborted()
        if (!request.reusedSocket || !STALE.has((error as { code?: string }).code ?? '')) throw error
      }
    }
  }

  /** Ends connections that nobody uses. */
  close(): void {
    this.way.close()
  }
}

/** With what a browser's `fetch` adds. */
function headersOf({ headers, body }: Asked): Record<string, string> {
  const text: Record<string, string> =
    typeof body === 'string' ? { 'content-type': 'text/plain;charset=UTF-8' } : {}
  return { accept: '*/*', 'accept-encoding': ENCODINGS, ...text, ...Object.fromEntries(headers) }
}

/** Sends it. @returns the answer's head as soon as it is there */
function sent(request: ClientRequest, { body, signal }: Asked): Promise<IncomingMessage> {
  return new Promise((go, fail) => {
    const stop = () => {
      request.destroy()
      // A request that has no connection yet would say so only when it has one.
      fail(signal.reason)
    }
    signal.addEventListener('abort', stop, { once: true })
    const done = () => signal.removeEventListener('abort', stop)
    request.once('response', (message) => {
      done()
      go(message)
    })
    // It may fail again while its answer is read: who reads hears of that.
    request.on('error', (error) => {
      done()
      fail(error)
    })
    request.end(body)
  })
}

async function answerOf(message: IncomingMessage, signal: AbortSignal): Promise<Answer> {
  const headers = new Headers()
  const { rawHeaders, statusCode: status = 0 } = message
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '')
  const body = await decoded(message)
  const stop = () => body.destroy(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  body.once('close', () => signal.removeEventListener('abort', stop))
  if (signal.aborted) stop()
  return { status, headers, body: bodyOf(message, body) }
}

function bodyOf(message: IncomingMessage, body: Readable): AnswerBody {
  // What breaks before it is read is told where it is read.
  body.on('error', () => {})
  let pieces: AsyncIterator<Uint8Array> | undefined
  return {
    async read() {
      pieces ??= body[Symbol.asyncIterator]()
      const { done, value } = await pieces.next()
      return done ? undefined : value
    },
    cancel() {
      // What has come whole, such as the body of a redirect, leaves its connection to the next request.
      if (message.complete && body === message && !pieces) message.resume()
      else for (const each of [body, message]) each.destroy()
    },
  }
}
