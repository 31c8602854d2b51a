/**
 * The door to the network of a run in a test: hosts, redirects, interstitials and statuses are treated as the service's own
 * door does, without its pace and its waiting.
 *
 * @module
 */

import { addressFault, type Origins, redirectFault } from '../../net/allowed-hosts.ts'
import type { Context, FetchOptions, Reply } from '../context.ts'
import { SourceError } from '../errors.ts'
import { replyOf } from '../reply.ts'
import type { Source } from '../source.ts'
import { statusError } from '../status.ts'
import { withQuery } from '../urls.ts'

/**
 * A request that a task made.
 *
 * @example
 * const made: Made = { method: 'GET', url: 'https://lamps.example/1', headers: {}, body: null }
 * made.url // => 'https://lamps.example/1'
 */
export type Made = {
  readonly method: string
  /** of the public site, whatever origin it went to */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** How requests are answered. */
export type Send = {
  send(request: Request): Promise<Response>
  /** whether another try of a failed request may bring another answer */
  again(made: Made): boolean
}

/** Of one run. */
export type Place = {
  readonly requests: Made[]
  readonly signal: AbortSignal
  readonly origins: Origins
}

const MOST_REDIRECTS = 5
const MOST_BYTES = 16 * 1024 * 1024

export function createDoor(source: Source, { send, again }: Send, place: Place): Context['fetch'] {
  const { requests, signal, origins } = place

  /** One request and its redirects. */
  async function follow(
    first: URL,
    options: FetchOptions,
  ): Promise<{ url: URL; response: Response; made: Made }> {
    let url = first
    for (let hop = 0; ; hop++) {
      const made = madeOf(url, options, hop)
      requests.push(made)
      const response = await send(requestOf(made, options, origins, signal))
      const location = response.headers.get('location')
      if (response.status < 300 || response.status > 399 || location === null) return { url, response, made }
      if (hop === MOST_REDIRECTS) throw new SourceError('source-redirected', 'too many redirects')
      const next = origins.redirected(location, url)
      const fault = redirectFault(source, next, url)
      if (fault) throw fault
      url = next
    }
  }

  return async (address, options = {}) => {
    signal.throwIfAborted()
    const first = withQuery(new URL(address, source.origin), options.query)
    const fault = addressFault(source, first)
    if (fault) throw new TypeError(`${source.name} may not fetch this: ${fault}`)
    const { tries = 3, accept = [], maxBytes = MOST_BYTES } = options
    for (let attempt = 1; ; attempt++) {
      const { url, response, made } = await follow(first, options)
      if (response.ok || accept.includes(response.status)) return reply(url, response, maxBytes)
      const passing = response.status === 429 || response.status >= 500
      if (!passing || attempt >= tries || !again(made)) throw statusError(response.status)
    }
  }
}

/** After a redirect a POST goes on as GET without its body, as browsers do. */
function madeOf(url: URL, { method = 'GET', headers = {}, body }: FetchOptions, hop: number): Made {
  const text = typeof body === 'string' || body === undefined ? body : new TextDecoder().decode(body)
  const first = hop === 0
  return {
    method: first || method !== 'POST' ? method : 'GET',
    url: url.href,
    headers,
    body: (first && text) || null,
  }
}

function requestOf(made: Made, { body }: FetchOptions, origins: Origins, signal: AbortSignal): Request {
  const { method, headers } = made
  const init: RequestInit = { method, headers: { ...headers }, signal, redirect: 'manual' }
  if (made.body !== null && body !== undefined) init.body = body as BodyInit
  return new Request(origins.actual(new URL(made.url)), init)
}

function reply(url: URL, response: Response, maxBytes: number): Reply {
  const { status, headers, body } = response
  return replyOf(status, url.href, headers, () => (body ?? emptyBody()).pipeThrough(limit(maxBytes)))
}

const emptyBody = (): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream({ start: (controller) => controller.close() })

function limit(maxBytes: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length
      if (bytes > maxBytes) throw new SourceError('response-too-large', `more than ${maxBytes} bytes`)
      controller.enqueue(chunk)
    },
  })
}
