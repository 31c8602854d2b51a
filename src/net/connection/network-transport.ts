/**
 * The transport to the network: one request and its response over {@link Connections}.
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
/** Errors of a kept connection that the server had closed before the request: no response was sent. */
const STALE = new Set(['ECONNRESET', 'EPIPE'])

/** Creates a transport. It may also throw {@link import('../transport/transport.ts').AddressRefused}. */
export function networkTransport(options: ConnectionOptions): Transport {
  const connections = new Connections({ idleMs: IDLE_MS, ...options })
  return async (request) => {
    const { method, signal } = request
    const url = new URL(request.url)
    const headers = headersOf(request)
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer())
    for (;;) {
      signal.throwIfAborted()
      const outgoing = connections.request(url, { method, headers, signal })
      // Ignores errors while the response is read: the reader receives them.
      outgoing.on('error', () => {})
      outgoing.end(body)
      try {
        // A request without a connection would report its abort only after it connects.
        const [message] = (await once(outgoing, 'response', { signal })) as [IncomingMessage]
        return await answerOf(message, signal)
      } catch (error) {
        signal.throwIfAborted()
        if (!outgoing.reusedSocket || !STALE.has((error as { code?: string }).code ?? '')) throw error
      }
    }
  }
}

/** The request's headers, with the defaults that a browser's `fetch` adds. */
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
  // Ignores errors before the first read: reading reports them.
  body.on('error', () => {})
  let pieces: AsyncIterator<Uint8Array> | undefined
  return streamOf({
    async read() {
      pieces ??= body[Symbol.asyncIterator]()
      const { done, value } = await pieces.next()
      return done ? undefined : value
    },
    cancel() {
      // A fully received body, e.g. of a redirect, leaves its connection usable for the next request.
      if (message.complete && body === message && !pieces) message.resume()
      else for (const each of [body, message]) each.destroy()
    },
  })
}
