/**
 * Matches requests to canned responses.
 *
 * @module
 */
import type { Transport } from '../../net/transport/transport.ts'

/**
 * A request that a task made.
 *
 * @example
 * const sent: SentRequest = { method: 'GET', url: 'https://lamps.example/1', headers: {}, body: null }
 * sent.url // => 'https://lamps.example/1'
 */
export type SentRequest = {
  readonly method: string
  /** the URL on the public site, even if the request went to another origin */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** What a test sees of a request. The request can still be sent. */
export async function sentRequestOf(request: Request): Promise<SentRequest> {
  const { method, url, headers } = request
  return {
    method,
    url,
    headers: Object.fromEntries(headers),
    body: (await request.clone().text()) || null,
  }
}

/** Replaces a credential in a recorded exchange. In a matcher for requests it matches any text. */
export const REDACTED = 'REDACTED'

/**
 * One request and its response.
 *
 * @example
 * const exchange: Exchange = { request: 'GET /search.json?q=desk', status: 503, body: 'Sorry' }
 * exchange.status // => 503
 */
export type Exchange = {
  /**
   * Method (default GET) and URL: a path on the source's origin, or an absolute URL. A path segment `*` matches any one
   * segment. The request must have each of the query parameters with the same value, and may have more parameters.
   * `REDACTED` matches any value, or any part of one.
   */
  readonly request: string
  /**
   * The body that the request must have: a text, or a JSON value. Objects in the request may have more fields than the
   * JSON value has. `REDACTED` matches any value, or any part of a text. Default: any body.
   */
  readonly sent?: unknown
  /** default 200 */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** instead of `body`: binary content as base64 */
  readonly base64?: string
  /** instead of `body`: content to be sent as JSON */
  readonly json?: unknown
  /** whether it answers any number of requests; default once, or three times with status 429 or 5xx */
  readonly repeats?: boolean
}

/** How sites refuse a route: a block page, no such address any more, a sign-in, a limit, a fault of theirs. */
const REFUSALS = {
  blocked: { status: 403, body: '<!doctype html><title>Access denied</title>' },
  gone: { status: 404, body: '<!doctype html><title>Page not found</title>' },
  'sign-in': { status: 401, json: { message: 'Please sign in.' } },
  limited: { status: 429, headers: { 'retry-after': '60' }, body: 'Too many requests' },
  down: { status: 503, body: 'Service unavailable' },
} as const

/**
 * An exchange for a route that is closed: it refuses every request that matches.
 *
 * @param request see {@link Exchange}
 * @param how the kind of the refusal; default a block page with status 403
 * @example
 * closedRoute('GET /api/lamps', 'gone').status // => 404
 */
export const closedRoute = (request: string, how: keyof typeof REFUSALS = 'blocked'): Exchange => ({
  request,
  repeats: true,
  ...REFUSALS[how],
})

/**
 * The task made a request for which no canned response is left.
 *
 * @example
 * const run = runTask(search, { query: 'desk' }, { source, exchanges: [] })
 * await run.catch((error) => error instanceof NoExchange) // => true
 */
export class NoExchange extends Error {
  override readonly name = 'NoExchange'

  /** @param unused requests of the exchanges that no request of the task has used */
  constructor(
    message: string,
    readonly unused: readonly string[],
  ) {
    super(message)
  }
}

type Expectation = { readonly fits: Fits; readonly exchange: Exchange; uses: number }

/** How often an exchange with a failure is used: the client makes three attempts for a request. */
const MOST_FAILURES = 3

/** Whether a request matches an exchange. */
export type Fits = (request: {
  readonly method: string
  readonly url: string
  readonly body: string
}) => boolean

/**
 * Answers each request with the first exchange that matches and was not used yet. An exchange with status 429 or 5xx is
 * used again if no other one is left, so a failure needs to be listed only once.
 *
 * @param onUse is called with each exchange that answers a request
 */
export function replay(
  exchanges: readonly Exchange[],
  origin: string,
  onUse: (exchange: Exchange) => void = () => {},
): Transport {
  const all: Expectation[] = exchanges.map((exchange) => ({
    exchange,
    fits: fitting(exchange, origin),
    uses: 0,
  }))
  return async (request) => {
    const { method, url } = request
    const call = { method, url, body: await request.text() }
    const match =
      all.find(({ uses, fits }) => uses === 0 && fits(call)) ??
      all.findLast((one) => mayRepeat(one) && one.fits(call))
    if (!match) {
      const rest = all.filter(({ uses }) => uses === 0).map(({ exchange }) => exchange.request)
      const unused = rest.length > 0 ? `unused: ${rest.join(', ')}` : 'all are used'
      throw new NoExchange(`no exchange for ${method} ${url}: add one with its answer (${unused})`, rest)
    }
    match.uses++
    onUse(match.exchange)
    return answerOf(match.exchange)
  }
}

const mayRepeat = ({ exchange: { status = 200, repeats = false }, uses }: Expectation): boolean =>
  repeats || ((status === 429 || status >= 500) && uses < MOST_FAILURES)

/**
 * Creates the matcher of an exchange.
 *
 * @param origin the origin of paths
 * @throws {TypeError} when the exchange has no URL
 */
export function fitting(exchange: Exchange, origin: string): Fits {
  const [, method = 'GET', address = ''] = /^(?:([A-Z]+) )?(\S+)$/.exec(exchange.request) ?? []
  const target = URL.canParse(address, origin) ? new URL(address, origin) : undefined
  if (!target || address === '')
    throw new TypeError(
      `exchange "${exchange.request}" must be a method and a URL, such as "GET /search?q=desk"`,
    )
  const path = pathPattern(target.pathname)
  const query = [...target.searchParams].map(([name, value]) => ({ name, value: textPattern(value) }))
  return (request) => {
    if (request.method !== method) return false
    const url = new URL(request.url)
    if (url.origin !== target.origin || !path.test(url.pathname)) return false
    return query.every(isIn(url.searchParams)) && isSent(exchange, request.body)
  }
}

const isIn =
  (parameters: URLSearchParams) =>
  ({ name, value }: { readonly name: string; readonly value: RegExp }): boolean =>
    parameters.getAll(name).some((one) => value.test(one))

function pathPattern(path: string): RegExp {
  const parts = path
    .split('/')
    .map((part) => (part === '*' ? '[^/]+' : part.split(REDACTED).map(RegExp.escape).join('[^/]*')))
  return new RegExp(`^${parts.join('/')}$`)
}

function isSent({ sent }: Exchange, body: string): boolean {
  if (sent === undefined) return true
  if (typeof sent === 'string') return textPattern(sent).test(body)
  try {
    return holds(sent, JSON.parse(body))
  } catch {
    return false
  }
}

const textPattern = (text: string): RegExp =>
  new RegExp(`^${text.split(REDACTED).map(RegExp.escape).join('.*')}$`, 's')

function holds(expected: unknown, actual: unknown): boolean {
  if (expected === REDACTED) return actual !== undefined
  if (typeof expected === 'string') return typeof actual === 'string' && textPattern(expected).test(actual)
  if (typeof expected !== 'object' || expected === null) return expected === actual
  if (typeof actual !== 'object' || actual === null || Array.isArray(expected) !== Array.isArray(actual))
    return false
  if (Array.isArray(expected) && expected.length !== (actual as unknown[]).length) return false
  return Object.entries(expected).every(([name, value]) =>
    holds(value, (actual as Record<string, unknown>)[name]),
  )
}

/** The response of an exchange. */
export function answerOf({ status = 200, headers = {}, body, base64, json }: Exchange): Response {
  const content = base64 === undefined ? body : Uint8Array.from(Buffer.from(base64, 'base64'))
  if (json === undefined) return new Response((content ?? null) as BodyInit | null, { status, headers })
  return new Response(JSON.stringify(json), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
}
