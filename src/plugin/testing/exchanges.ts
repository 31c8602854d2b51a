/**
 * Canned answers: which of them a request gets.
 *
 * @module
 */
import type { Send } from './door.ts'

/**
 * One request and its answer.
 *
 * @example
 * const exchange: Exchange = { request: 'GET /search.json?q=desk', status: 503, body: 'Sorry' }
 * exchange.status // => 503
 */
export type Exchange = {
  /**
   * Method (default GET) and address: a path on the source's origin, or an absolute one. Each of its query
   * parameters must be in the request with this value; the request may have more.
   */
  readonly request: string
  /** what the body of the request must be; a JSON value is compared as JSON. Default: anything */
  readonly sent?: unknown
  /** default 200 */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** instead of `body`: sent as JSON */
  readonly json?: unknown
}

/**
 * The task made a request that no canned answer is left for.
 *
 * @example
 * const run = runTask(search, { query: 'desk' }, { source, exchanges: [] })
 * await run.catch((error) => error instanceof NoExchange) // => true
 */
export class NoExchange extends Error {
  override readonly name = 'NoExchange'
}

type Wanted = { readonly method: string; readonly url: URL; readonly exchange: Exchange; used: boolean }

/** Answers each request with the first exchange that fits and was not used yet. */
export function replay(exchanges: readonly Exchange[], origin: string): Send {
  const all = exchanges.map((exchange) => wanted(exchange, origin))
  const next = (method: string, url: string, sent: string): Wanted | undefined =>
    all.find(
      (one) => !one.used && one.method === method && covers(one.url, new URL(url)) && isSent(one, sent),
    )
  return {
    async send(request) {
      const { method, url } = request
      const found = next(method, url, await request.text())
      if (!found) {
        const left = all.filter(({ used }) => !used).map(({ exchange }) => exchange.request)
        const had = left.length > 0 ? `those left are ${left.join(', ')}` : 'none are left'
        throw new NoExchange(`no exchange for ${method} ${url}: add one with its answer (${had})`)
      }
      found.used = true
      return answer(found.exchange)
    },
    again: ({ method, url, body }) => next(method, url, body ?? '') !== undefined,
  }
}

function wanted(exchange: Exchange, origin: string): Wanted {
  const [, method = 'GET', address = ''] = /^(?:([A-Z]+) )?(\S+)$/.exec(exchange.request) ?? []
  const url = URL.canParse(address, origin) ? new URL(address, origin) : undefined
  if (!url || address === '') throw new TypeError(`exchange "${exchange.request}": a method and an address`)
  return { method, url, exchange, used: false }
}

function covers(wanted: URL, made: URL): boolean {
  if (wanted.origin !== made.origin || wanted.pathname !== made.pathname) return false
  return [...wanted.searchParams].every(([name, value]) => made.searchParams.getAll(name).includes(value))
}

function isSent({ exchange }: Wanted, body: string): boolean {
  const { sent } = exchange
  if (sent === undefined) return true
  if (typeof sent === 'string') return sent === body
  try {
    return JSON.stringify(sent) === JSON.stringify(JSON.parse(body))
  } catch {
    return false
  }
}

function answer({ status = 200, headers = {}, body, json }: Exchange): Response {
  if (json === undefined) return new Response((body ?? null) as BodyInit | null, { status, headers })
  return new Response(JSON.stringify(json), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
}
