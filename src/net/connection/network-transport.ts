/**
 * The transport to the network: one request and its response over {@link Connections}.
 *
 * @module
 */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { inBrowserOrder } from '../../plugin/browser-headers.ts'
import { ExitLate, responseOf, streamOf, type Transport } from '../transport/transport.ts'
import { type ConnectionOptions, Connections } from './connections.ts'
import { decoded, ENCODINGS } from './decode.ts'
import { meterOf, type OnBytes } from './meter.ts'

/** How long a connection is kept for a host's next request, in milliseconds. */
const IDLE_MS = 10_000
/** Errors of a kept connection that the server had closed before the request: no response was sent. */
const STALE = new Set(['ECONNRESET', 'EPIPE'])

/** Connections for {@link exchange}. */
export const connectionsOf = (options: ConnectionOptions): Connections =>
  new Connections({ idleMs: IDLE_MS, ...options })

/**
 * Creates a transport. It may also throw {@link import('../transport/transport.ts').AddressRefused} and
 * {@link ExitFailed}.
 */
export function networkTransport(options: ConnectionOptions, onBytes?: OnBytes): Transport {
  const connections = connectionsOf(options)
  return (request) => exchange(connections, request, { onBytes })
}

export type ExchangeOptions = {
  readonly onBytes?: OnBytes | undefined
  /** called once, when the response has been read or is given up, or when none came */
  readonly onEnd?: () => void
}

/** Makes one request. @throws as {@link networkTransport} */
export async function exchange(
  connections: Connections,
  request: Request,
  { onBytes = () => {}, onEnd = () => {} }: ExchangeOptions = {},
): Promise<Response> {
  const { method, signal } = request
  const url = new URL(request.url)
  let message: IncomingMessage | undefined
  let isJoining = false
  const onJoining = (isUnderWay: boolean) => {
    isJoining = isUnderWay
  }
  try {
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer())
    const headers = headersOf(request, url, body)
    for (;;) {
      signal.throwIfAborted()
      const outgoing = connections.request(url, { method, headers, signal, onJoining })
      const count = () => onBytes(meterOf(outgoing.socket)?.take() ?? 0)
      // Ignores errors while the response is read: the reader receives them.
      outgoing.on('error', () => {})
      outgoing.end(body)
      try {
        // A request without a connection would report its abort only after it connects.
        ;[message] = (await once(outgoing, 'response', { signal })) as [IncomingMessage]
        const countMore = endOf(message, count, onEnd)
        connections.check(url, message)
        return await answerOf(message, signal, countMore)
      } catch (error) {
        if (!message) onBytes((meterOf(outgoing.socket) ?? meterOf(error as Error))?.take() ?? 0)
        if (isJoining && hasTimedOut(signal)) throw new ExitLate('here')
        signal.throwIfAborted()
        if (message || !outgoing.reusedSocket || !STALE.has((error as { code?: string }).code ?? ''))
          throw error
      }
    }
  } catch (error) {
    // A response ends on its own.
    if (!message) onEnd()
    throw error
  }
}

/** The request's headers, with the defaults that a browser's `fetch` adds, as they are written to the connection. */
const headersOf = ({ headers }: Request, url: URL, body?: Uint8Array): Readonly<Record<string, string>> =>
  inBrowserOrder(
    { accept: '*/*', 'accept-encoding': ENCODINGS, ...Object.fromEntries(headers) },
    { host: url.host, bytes: body?.length },
  )

const hasTimedOut = ({ reason }: AbortSignal): boolean =>
  reason instanceof DOMException && reason.name === 'TimeoutError'

/**
 * Calls `onEnd` when a response has ended.
 *
 * @param count counts the bytes of its connection since the last call
 * @returns counts them too, until the response has ended: then the connection may have another request
 */
function endOf(message: IncomingMessage, count: () => void, onEnd: () => void): () => void {
  let hasEnded = false
  const end = () => {
    if (hasEnded) return
    count()
    hasEnded = true
    onEnd()
  }
  message.once('end', end)
  message.once('close', end)
  const countMore = () => {
    if (!hasEnded) count()
  }
  countMore()
  return countMore
}

async function answerOf(message: IncomingMessage, signal: AbortSignal, count: () => void): Promise<Response> {
  const headers = new Headers()
  const { rawHeaders, statusCode: status = 0 } = message
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '')
  const body = await decoded(message)
  const stop = () => body.destroy(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  body.once('close', () => signal.removeEventListener('abort', stop))
  if (signal.aborted) stop()
  return responseOf(status, headers, bodyOf(message, body, count))
}

function bodyOf(
  message: IncomingMessage,
  body: Readable,
  count: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  // Ignores errors before the first read: reading reports them.
  body.on('error', () => {})
  let pieces: AsyncIterator<Uint8Array> | undefined
  return streamOf({
    async read() {
      pieces ??= body[Symbol.asyncIterator]()
      const { done, value } = await pieces.next()
      count()
      return done ? undefined : value
    },
    cancel() {
      count()
      // A fully received body, e.g. of a redirect, leaves its connection usable for the next request.
      if (message.complete && body === message && !pieces) message.resume()
      else for (const each of [body, message]) each.destroy()
    },
  })
}
