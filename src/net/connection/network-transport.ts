/**
 * The transport to the network: one request and its answer over {@link Connections}.
 *
 * @module
 */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { responseOf, streamOf, type Transport } from '../transport/transport.ts'
import { type ConnectionOptions, Connections } from './connections.ts'
import { decoded, ENCODINGS } from './decode.ts'

/** How long a connection is kept for a host's next request, in milliseconds. */
const IDLE_MS = 10_000
/** What becomes of a connection that the other side had closed before a request came: nothing was answered. */
const STALE = new Set(['ECONNRESET', 'EPIPE'])

/** Makes one. It throws {@link import('../transport/transport.ts').AddressRefused} too. */
export function networkTransport(options: ConnectionOptions): Transport {
  const connections = new Connections({ idleMs: IDLE_MS, ...options })
  return async (request) => {
    const { method, signal } = request
    const url = new URL(request.url)
    const headers = headersOf(request)
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer())
    for (;;) {
      signal.throwIfAborted()
      const made = connections.request(url, { method, headers, signal })
      // It may fail again while its answer is read: the reader is told of that.
      made.on('error', () => {})
      made.end(body)
      try {
        // A request that has no connection yet would say that it was ended only when it has one.
        const [message] = (await once(made, 'response', { signal })) as [IncomingMessage]
        return await answerOf(message, signal)
      } catch (error) {
        signal.throwIfAborted()
        if (!made.reusedSocket || !STALE.has((error as { code?: string }).code ?? '')) throw error
      }
    }
  }
}

/** With what a browser's `fetch` adds. */
const headersOf = ({ headers }: Request): Record<string, string> => ({
  accept: '*/*',
  'accept-encoding': ENCODINGS,
  ...Object.fromEntries(headers),
})

async function answerOf(message: IncomingMessage, signal: AbortSignal): Promise<Response> {
  const headers = new Headers()
  const { rawHeaders, statusCode: status = 0 } = message
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '')
  const body = await decoded(message)
  const stop = () => body.destroy(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  body.once('close', () => signal.removeEventListener('abort', stop))
  if (signal.aborted) stop()
  return responseOf(status, headers, bodyOf(message, body))
}

function bodyOf(message: IncomingMessage, body: Readable): ReadableStream<Uint8Array<ArrayBuffer>> {
  // What breaks before it is read is told where it is read.
  body.on('error', () => {})
  let pieces: AsyncIterator<Uint8Array> | undefined
  return streamOf({
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
  })
}
