/**
 * The HTTP client of a run. At every hop a request passes the source's rate limiter and must stay on the source's
 * hosts. Transient failures are retried.
 *
 * @module
 */
import { clock } from '../async/clock.ts'
import { delay } from '../async/delay.ts'
import { backoff } from '../async/retry.ts'
import { timeoutSignal } from '../async/timers.ts'
import { BROWSER, browserHeaders, redirectBrowserHeaders } from '../plugin/browser-headers.ts'
import { SourceError, Unavailable } from '../plugin/errors.ts'
import { blockPage } from '../plugin/reading/block-page.ts'
import { withQuery } from '../plugin/reading/urls.ts'
import { replyOf } from '../plugin/run/reply.ts'
import { isWanted, statusError } from '../plugin/run/status.ts'
import type { FetchOptions, Reply, Source } from '../plugin.ts'
import { addressFault, redirectFault } from './allowed-hosts.ts'
import { limited, readAll } from './body.ts'
import { CookieJar, type SavedCookie } from './cookies.ts'
import type { Release } from './rate-limiter.ts'
import { REQUEST_RETRIES, retryAfter } from './retry.ts'
import type { Observer } from './transport/observer.ts'
import {
  AddressRefused,
  type BodySource,
  ExitFailed,
  ExitLate,
  ExitUnreachable,
  streamOf,
  type Transport,
} from './transport/transport.ts'

export type HttpClientOptions = {
  readonly source: Source
  readonly userAgent: string
  readonly transport: Transport
  /** of the run */
  readonly signal: AbortSignal
  /** milliseconds since 1970; no attempt starts after it */
  readonly until: number
  /** Resolves when a request to the host may start. @throws {SourceError} when the host asks for too long a pause */
  acquire(host: string, signal: AbortSignal): Promise<Release>
  now(): number
  /** Waits before the next attempt, at most until the signal aborts; default {@link delay} */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
  /** the initial cookies */
  readonly cookies?: readonly SavedCookie[] | undefined
  /** observes each exchange, including redirects and retries */
  readonly observer?: Observer | undefined
}

const TIMEOUT_S = 30
/**
 * The default limit. Bodies above it are allowed where a plugin asks for them, and are streamed, not kept in memory.
 */
const MAX_BYTES = 16 * 1024 * 1024
const ATTEMPTS = 3
const MOST_REDIRECTS = 5
/** A run does not wait for a source that asks for more in `Retry-After`: it ends with the response's error. */
const LONGEST_WAIT_MS = 5 * 60_000
/** How much of a refusal's body is searched for the marks of a block page, in bytes. */
const LOOKED_AT = 64 * 1024
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** A transient failure, with the time that the source asked to wait, in milliseconds. */
class Transient {
  constructor(
    readonly error: SourceError,
    readonly afterMs?: number,
  ) {}
}

/** The response of one hop. Reading of `body` has not started. */
type SourceResponse = Pick<Response, 'status' | 'headers'> & { readonly url: URL; readonly body: BodySource }
/** The time limit of an exchange. Time spent waiting for the rate limiter does not count. */
type TimeLimit = {
  readonly seconds: number
  /** by the monotonic clock */
  until: number
  /** of the latest hop; aborts when the time is up */
  signal: AbortSignal | undefined
}
type Hop = {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: FetchOptions['body'] | undefined
}

export class HttpClient {
  readonly cookies: CookieJar

  constructor(private readonly options: HttpClientOptions) {
    this.cookies = new CookieJar(options.now, options.cookies)
  }

  /** See {@link import('../plugin.ts').Context.cookie}. */
  cookie(name: string, address = '/'): string | undefined {
    return this.cookies.valueOf(name, new URL(address, this.options.source.origin))
  }

  /** See {@link import('../plugin.ts').Context.fetch}. */
  async fetch(address: string, options: FetchOptions = {}): Promise<Reply> {
    const { signal, until, now, wait = delay } = this.options
    const first = this.first(address, options)
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted()
      try {
        return await this.attempt(first, options)
      } catch (error) {
        if (!(error instanceof Transient)) throw error
        const ms = error.afterMs ?? backoff(attempt, REQUEST_RETRIES)
        const isLast = attempt >= (options.tries ?? ATTEMPTS)
        if (isLast || ms > LONGEST_WAIT_MS || now() + ms >= until) throw error.error
        await wait(ms, signal)
      }
    }
  }

  private first(address: string, { query, method = 'GET', headers, body, ...options }: FetchOptions): Hop {
    const url = withQuery(new URL(address, this.options.source.origin), query)
    const fault = addressFault(this.options.source, url)
    if (fault) throw new TypeError(`${this.options.source.name} cannot fetch this URL: ${fault}`)
    url.hash = ''
    if (body !== undefined && method !== 'POST') throw new TypeError(`a ${method} request cannot have a body`)
    const { accept = [], timeoutS, maxBytes, tries } = options
    // In an attempt these mistakes would look like a failed connection.
    if (!Array.isArray(accept)) throw new TypeError('accept must be a list of statuses')
    for (const [name, number] of Object.entries({ timeoutS, maxBytes, tries }))
      if (number !== undefined && !(number > 0)) throw new TypeError(`${name} must be above 0, not ${number}`)
    const own = new Headers(headers)
    if (typeof body === 'string' && !own.has('content-type'))
      own.set('content-type', 'text/plain;charset=UTF-8')
    const { origin, userAgent = this.options.userAgent } = this.options.source
    const isOfBrowser = userAgent === BROWSER && !own.has('user-agent')
    const as = options.as ?? (isOfBrowser ? (method === 'GET' ? 'document' : 'fetch') : undefined)
    if (as === 'document' && method !== 'GET')
      throw new TypeError(`a ${method} request cannot be a document's`)
    if (as !== undefined)
      return { url, method, headers: browserHeaders(own, { as, url, method, origin }), body }
    if (!own.has('user-agent')) own.set('user-agent', userAgent)
    return { url, method, headers: own, body }
  }

  /** One exchange within the time limit: all hops, and the body unless it may be large. */
  private async attempt(first: Hop, options: FetchOptions): Promise<Reply> {
    const seconds = options.timeoutS ?? TIMEOUT_S
    const limit: TimeLimit = { seconds, until: clock.monotonic() + seconds * 1000, signal: undefined }
    const explain = (error: unknown) => this.explained(error, limit)
    try {
      const { status, headers, url, body } = await this.follow(first, options, limit)
      if (!isWanted(status, options.accept)) throw await this.failure(status, headers, body, options)
      const chunks = (options.maxBytes ?? 0) > MAX_BYTES ? [] : await readAll(body)
      const read = async () => {
        try {
          return chunks.shift() ?? (await body.read())
        } catch (error) {
          const explained = explain(error)
          throw explained instanceof Transient ? explained.error : explained
        }
      }
      return replyOf(status, url.href, headers, () => streamOf({ read, cancel: () => body.cancel() }))
    } catch (error) {
      throw explain(error)
    }
  }

  private async follow(first: Hop, options: FetchOptions, limit: TimeLimit): Promise<SourceResponse> {
    let hop = first
    for (let hops = 0; ; hops++) {
      const answer = await this.request(hop, options, limit)
      const { status, headers } = answer
      const location = headers.get('location')
      if (location === null || !REDIRECTS.has(status) || isWanted(status, options.accept)) return answer
      answer.body.cancel()
      if (hops === MOST_REDIRECTS) throw new SourceError('source-redirected', 'too many redirects')
      hop = this.redirected(hop, status, location)
    }
  }

  private async request(hop: Hop, options: FetchOptions, limit: TimeLimit): Promise<SourceResponse> {
    const { transport, acquire, observer } = this.options
    const { url, method, body } = hop
    const startedAt = clock.monotonic()
    const release = await acquire(url.hostname, this.options.signal)
    limit.until += clock.monotonic() - startedAt
    limit.signal = timeoutSignal(limit.until - clock.monotonic())
    const signal = AbortSignal.any([this.options.signal, limit.signal])
    const exchange = observer?.({ method, url: url.href, body })
    try {
      const request = new Request(url, {
        method,
        headers: this.headers(hop, options),
        signal,
        redirect: 'manual',
        ...(body === undefined ? {} : { body: body as BodyInit }),
      })
      const { status, headers, body: received } = await transport(request)
      exchange?.answered(status, headers)
      if (options.cookies ?? true) this.cookies.store(url, headers)
      const pauseMs = this.pauseAfter(status, headers)
      // An unread body must not hold its slot in the rate limiter beyond the time limit.
      signal.addEventListener('abort', () => release(pauseMs), { once: true })
      const end = () => {
        exchange?.ended()
        release(pauseMs)
      }
      const rest = limited(received, options.maxBytes ?? MAX_BYTES, end, exchange?.read)
      return { status, headers, url, body: rest }
    } catch (error) {
      exchange?.ended()
      release(0)
      throw error
    }
  }

  /**
   * How long the source asks for no more requests, in milliseconds. Some sites answer with 200 and `Retry-After`. With a
   * redirect it means something else.
   */
  private pauseAfter(status: number, headers: Headers): number {
    const { source, now } = this.options
    const retryAfterMs = REDIRECTS.has(status) ? undefined : retryAfter(headers.get('retry-after'), now())
    return Math.max(0, retryAfterMs ?? 0, source.pace?.rest?.(headers) ?? 0)
  }

  private headers({ url, headers }: Hop, options: FetchOptions): Headers {
    const cookies = (options.cookies ?? true) ? this.cookies.header(url) : undefined
    if (cookies === undefined) return headers
    const all = new Headers(headers)
    const own = headers.get('cookie')
    all.set('cookie', own === null ? cookies : `${own}; ${cookies}`)
    return all
  }

  private redirected(hop: Hop, status: number, location: string): Hop {
    if (!URL.canParse(location, hop.url))
      throw new SourceError('source-redirected', 'redirected to an invalid URL')
    const url = new URL(location, hop.url)
    const fault = redirectFault(this.options.source, url, hop.url)
    if (fault) throw fault
    url.hash = ''
    const headers = new Headers(hop.headers)
    if (url.host !== hop.url.host) for (const name of ['authorization', 'cookie']) headers.delete(name)
    redirectBrowserHeaders(headers, url)
    const changes = status === 303 ? hop.method !== 'HEAD' : status < 303 && hop.method === 'POST'
    if (!changes) return { ...hop, url, headers }
    headers.delete('content-type')
    return { url, method: 'GET', headers, body: undefined }
  }

  private async failure(
    status: number,
    headers: Headers,
    body: BodySource,
    { errors }: FetchOptions,
  ): Promise<SourceError | Transient> {
    const isTransient = (status === 429 || status >= 500) && errors?.[status] === undefined
    // A block page may come with any status. The statuses that are known refusals need no look at it.
    const mayBePage = status >= 400 && status < 500 && ![401, 403, 429].includes(status)
    const page = mayBePage && isHtml(headers) ? blockPage(await startOf(body)) : undefined
    body.cancel()
    const error = page ?? statusError(status, undefined, errors)
    const afterMs = retryAfter(headers.get('retry-after'), this.options.now())
    return isTransient ? new Transient(error, afterMs) : error
  }

  /** Translates an error of the exchange. The network's own message is dropped, since it may contain addresses. */
  private explained(error: unknown, limit: TimeLimit): unknown {
    const { signal } = this.options
    if (signal.aborted) return signal.reason
    if (error instanceof SourceError || error instanceof Transient) return error
    if (error instanceof AddressRefused) return new SourceError('source-redirected', error.message)
    if (error instanceof ExitLate) return new ExitUnreachable(error)
    if (error instanceof ExitFailed) return new Transient(new ExitUnreachable(error))
    const isLate = limit.signal?.aborted
    const reason = isLate ? `no response within ${limit.seconds} s` : 'the connection failed'
    return new Transient(new Unavailable(reason))
  }
}

const isHtml = (headers: Headers): boolean => /\bhtml\b/.test(headers.get('content-type') ?? 'html')

/** The first part of a body as text. A body that breaks off is as good. */
async function startOf(body: BodySource): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for (let chunk = await body.read(); chunk && bytes < LOOKED_AT; chunk = await body.read()) {
      chunks.push(chunk)
      bytes += chunk.length
    }
  } catch {
    // The status alone tells what went wrong.
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}
