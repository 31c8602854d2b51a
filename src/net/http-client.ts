/**
 * The one door to the network, as a run has it: every request keeps the source's pace and stays on the source's
 * hosts, at every hop; what fails in passing is tried again.
 *
 * @module
 */

import { SourceError, Unavailable } from '../plugin/errors.ts'
import { replyOf } from '../plugin/reply.ts'
import { isWanted, statusError } from '../plugin/status.ts'
import { withQuery } from '../plugin/urls.ts'
import type { FetchOptions, Reply, Source } from '../plugin.ts'
import { addressFault, type Origins, redirectFault } from './allowed-hosts.ts'
import { Body } from './body.ts'
import { CookieJar, type SavedCookie } from './cookies.ts'
import { Deadline } from './deadline.ts'
import type { Witness } from './observer.ts'
import { AddressRefused } from './refused.ts'
import { backoff, retryAfter } from './retry.ts'
import type { HttpClient } from './transport.ts'

/**
 * Says that a request is over; again it does nothing. `pauseMs`: the host asked to be left alone so long, 0 when it
 * did not.
 */
export type Over = (pauseMs: number) => void

export type DoorOptions = {
  readonly source: Source
  readonly origins: Origins
  readonly userAgent: string
  /** see {@link import('./transports.ts').clientFor} */
  readonly client: () => Promise<HttpClient>
  /** of the run */
  readonly signal: AbortSignal
  /** milliseconds since 1970: no try begins after it */
  readonly until: number
  /** Resolves when a request to the host may be made. @throws SourceError when the host wants to be left alone for too long */
  permit(host: string, signal: AbortSignal): Promise<Over>
  now(): number
  /** milliseconds before the second try; it doubles with each; default 500 */
  readonly backoffMs?: number
  /** that it begins with */
  readonly cookies?: readonly SavedCookie[] | undefined
  readonly witness?: Witness | undefined
}

const TIMEOUT_S = 30
const MAX_BYTES = 16 * 1024 * 1024
const TRIES = 3
const MOST_REDIRECTS = 5
const BACKOFF_MS = 500
/** A source that asks for more in `Retry-After` is not waited for: its run ends, and says so. */
const LONGEST_WAIT_MS = 5 * 60_000
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** A failure that may pass, with how long the source asked to wait, in milliseconds. */
class Passing {
  constructor(
    readonly error: SourceError,
    readonly afterMs?: number,
  ) {}
}

/** One hop's answer. `body` is not begun. */
type Answer = { readonly status: number; readonly headers: Headers; readonly url: URL; readonly body: Body }
type Hop = {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: FetchOptions['body'] | undefined
}

export class Door {
  private readonly cookies: CookieJar
  /** answers that have not come to their end */
  private readonly open = new Set<Body>()
  /** requests that wait for their turn */
  private waiting = 0

  constructor(private readonly options: DoorOptions) {
    this.cookies = new CookieJar(options.now)
    this.cookies.add(options.cookies ?? [])
  }

  /** See {@link CookieJar.changed}. */
  get changedCookies(): SavedCookie[] {
    return this.cookies.changed
  }

  /** See {@link import('../plugin.ts').Context.fetch}. */
  async fetch(address: string, options: FetchOptions = {}): Promise<Reply> {
    const { signal, until, now, backoffMs = BACKOFF_MS } = this.options
    const first = this.first(address, options)
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted()
      try {
        return await this.attempt(first, options)
      } catch (error) {
        if (!(error instanceof Passing) || attempt >= (options.tries ?? TRIES)) throw unwrapped(error)
        const wait = error.afterMs ?? backoff(attempt, backoffMs)
        if (wait > LONGEST_WAIT_MS || now() + wait >= until) throw error.error
        await pause(wait, signal)
      }
    }
  }

  private first(address: string, { query, method = 'GET', headers, body }: FetchOptions): Hop {
    const url = withQuery(new URL(address, this.options.source.origin), query)
    const fault = addressFault(this.options.source, url)
    if (fault) throw new TypeError(`${this.options.source.name} may not fetch this: ${fault}`)
    url.hash = ''
    if (body !== undefined && method !== 'POST') throw new TypeError(`a ${method} request has no body`)
    const all = new Headers(headers)
    all.set('user-agent', this.options.source.userAgent ?? this.options.userAgent)
    return { url, method, headers: all, body }
  }

  /** One exchange: all hops and the first part of the body, within the time limit. */
  private async attempt(first: Hop, options: FetchOptions): Promise<Reply> {
    const deadline = new Deadline(options.timeoutS ?? TIMEOUT_S)
    const explain = (error: unknown) => this.explained(error, deadline)
    try {
      const { status, headers, url, body } = await this.follow(first, options, deadline)
      if (!isWanted(status, options.accept)) {
        body.cancel()
        throw this.failure(status, headers)
      }
      await body.begin()
      if (!body.isOver) this.open.add(body)
      if (this.waiting > 0) body.readOn()
      return replyOf(status, url.href, headers, () => body.stream((error) => unwrapped(explain(error))))
    } catch (error) {
      throw explain(error)
    }
  }

  private async follow(first: Hop, options: FetchOptions, deadline: Deadline): Promise<Answer> {
    let hop = first
    for (let hops = 0; ; hops++) {
      const answer = await this.request(hop, options, deadline)
      const { status, headers } = answer
      const location = headers.get('location')
      if (location === null || !REDIRECTS.has(status) || isWanted(status, options.accept)) return answer
      answer.body.cancel()
      if (hops === MOST_REDIRECTS) throw new SourceError('source-redirected', 'too many redirects')
      hop = this.redirected(hop, status, location)
    }
  }

  private async request(hop: Hop, options: FetchOptions, deadline: Deadline): Promise<Answer> {
    const { client, origins, now, witness } = this.options
    const { url, method, body } = hop
    const signal = AbortSignal.any([this.options.signal, deadline.signal])
    const over = await this.turn(url.hostname, signal)
    deadline.run()
    const heard = witness?.({ method, url: url.href, body })
    const end = (pauseMs: number) => {
      deadline.hold()
      over(pauseMs)
      heard?.over()
    }
    try {
      const asked = { method, headers: this.headers(hop), body, signal }
      const answer = await (await client()).request(origins.actual(url), asked)
      const { status, headers, body: received } = answer
      this.cookies.store(url, headers)
      heard?.answered(status, headers)
      const pauseMs = status === 429 || status === 503 ? (retryAfter(headers, now()) ?? 0) : 0
      // A body that nobody reads on must not keep its place in the source's pace for longer than its time.
      signal.addEventListener('abort', () => end(pauseMs), { once: true })
      const maxBytes = options.maxBytes ?? MAX_BYTES
      const whole: Body = new Body(received, maxBytes, () => ended(whole), heard?.read)
      const ended = (one: Body) => {
        this.open.delete(one)
        end(pauseMs)
      }
      return { status, headers, url, body: whole }
    } catch (error) {
      end(0)
      throw error
    }
  }

  /** Waits for a place in the source's pace, while answers that wait for the plugin give back theirs. */
  private async turn(host: string, signal: AbortSignal): Promise<Over> {
    this.waiting++
    for (const body of this.open) body.readOn()
    try {
      return await this.options.permit(host, signal)
    } finally {
      this.waiting--
    }
  }

  private headers({ url, headers }: Hop): Headers {
    const cookies = this.cookies.header(url)
    if (cookies === undefined) return headers
    const all = new Headers(headers)
    const own = headers.get('cookie')
    all.set('cookie', own === null ? cookies : `${own}; ${cookies}`)
    return all
  }

  private redirected(hop: Hop, status: number, location: string): Hop {
    const { source, origins } = this.options
    const url = addressOf(() => origins.redirected(location, hop.url))
    const fault = redirectFault(source, url, hop.url)
    if (fault) throw fault
    url.hash = ''
    const headers = new Headers(hop.headers)
    if (url.host !== hop.url.host) for (const name of ['authorization', 'cookie']) headers.delete(name)
    const changes = status === 303 ? hop.method !== 'HEAD' : status < 303 && hop.method === 'POST'
    if (!changes) return { ...hop, url, headers }
    headers.delete('content-type')
    return { url, method: 'GET', headers, body: undefined }
  }

  private failure(status: number, headers: Headers): SourceError | Passing {
    const error = statusError(status)
    const isPassing = status === 429 || status >= 500
    return isPassing ? new Passing(error, retryAfter(headers, this.options.now())) : error
  }

  /** What an error of the exchange means; a network's own words may hold addresses and are left out. */
  private explained(error: unknown, deadline: Deadline): unknown {
    const { signal } = this.options
    if (signal.aborted) return signal.reason
    if (error instanceof SourceError || error instanceof Passing) return error
    if (error instanceof AddressRefused) return new SourceError('source-redirected', error.message)
    if (deadline.signal.aborted) return new Passing(new Unavailable(`no answer within ${deadline.seconds} s`))
    return new Passing(new Unavailable('the connection failed'))
  }
}

const unwrapped = (error: unknown): unknown => (error instanceof Passing ? error.error : error)

function addressOf(make: () => URL): URL {
  try {
    return make()
  } catch {
    throw new SourceError('source-redirected', 'redirected to what is no address')
  }
}

/** @throws the signal's reason as soon as it aborts */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((go, fail) => {
    const stop = () => {
      clearTimeout(timer)
      fail(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      go()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
}
