/**
 * The door to the network of a run in a test: hosts, redirects, walls and statuses are treated as the service's own
 * door does, without its pace and its waiting.
 *
 * @module
 */
import type { Context, FetchOptions, Reply } from '../context.ts'
import { SourceError, Unavailable } from '../errors.ts'
import { replyOf } from '../reply.ts'
import type { Source } from '../source.ts'
import { statusError } from '../status.ts'
import { hostMatches } from '../urls.ts'

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
  readonly origin: string | undefined
}

const MOST_REDIRECTS = 5
const MOST_BYTES = 16 * 1024 * 1024

export function createDoor(source: Source, { send, again }: Send, place: Place): Context['fetch'] {
  const hosts = [new URL(source.origin).hostname, ...(source.hosts ?? [])]
  const { requests, signal, origin } = place

  /** One request and its redirects. */
  async function follow(
    first: URL,
    options: FetchOptions,
  ): Promise<{ url: URL; response: Response; made: Made }> {
    let url = first
    for (let hop = 0; ; hop++) {
      const made = madeOf(url, options, hop)
      requests.push(made)
      const response = await send(requestOf(made, options, origin, signal))
      const location = response.headers.get('location')
      if (response.status < 300 || response.status > 399 || location === null) return { url, response, made }
      url = publicUrl(new URL(location, inside(url, origin)), origin, source.origin)
      const wall = source.walls?.find((one) => one.url.test(url.href))
      if (wall) throw new SourceError(wall.ends, `redirected to ${url.hostname}${url.pathname}`)
      if (!hostMatches(url.hostname, hosts)) throw new SourceError('source-redirected', url.hostname)
      if (hop === MOST_REDIRECTS) throw new Unavailable('too many redirects')
    }
  }

  return async (address, options = {}) => {
    signal.throwIfAborted()
    const first = withQuery(new URL(address, source.origin), options.query)
    if (!hostMatches(first.hostname, hosts))
      throw new TypeError(`${first.hostname} is no host of ${source.name}`)
    const { tries = 3, accept = [], maxBytes = MOST_BYTES } = options
    for (let attempt = 1; ; attempt++) {
      const { url, response, made } = await follow(first, options)
      if (response.ok || accept.includes(response.status)) return reply(url, response, maxBytes)
      const passing = response.status === 429 || response.status >= 500
      if (!passing || attempt >= tries || !again(made)) throw statusError(response.status)
    }
  }
}

function withQuery(url: URL, query: FetchOptions['query'] = {}): URL {
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value))
  return url
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

function requestOf(
  made: Made,
  { body }: FetchOptions,
  origin: string | undefined,
  signal: AbortSignal,
): Request {
  const { method, headers } = made
  const init: RequestInit = { method, headers: { ...headers }, signal, redirect: 'manual' }
  if (made.body !== null && body !== undefined) init.body = body as BodyInit
  return new Request(inside(new URL(made.url), origin), init)
}

/** Where a public address is asked for: the same path and query on the replaced origin, when there is one. */
export const inside = (url: URL, origin: string | undefined): string =>
  origin === undefined ? url.href : `${origin.replace(/\/+$/, '')}${url.pathname}${url.search}`

/** A replaced origin that redirects to itself means the public site. */
export function publicUrl(url: URL, origin: string | undefined, own: string): URL {
  const within = origin !== undefined && url.href.startsWith(`${origin.replace(/\/+$/, '')}/`)
  return within ? new URL(url.href.slice(origin.replace(/\/+$/, '').length), own) : url
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
