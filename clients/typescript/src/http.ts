import { errorOf, GleanerError, parsed } from './errors.ts'
import { OpenResponse, Try } from './open-response.ts'
import { Retries } from './retries.ts'

export type GleanerOptions = {
  /** The URL of the service, with its path prefix if it has one. */
  readonly url: string
  /**
   * An API key, `gln_…`, or a function that returns one. The function is called before each attempt. A missing key
   * throws immediately.
   */
  readonly apiKey: string | undefined | (() => string | Promise<string>)
  /**
   * How long a failing call is retried, in seconds from its first failure. A stream starts to count again whenever it
   * receives something. Default: 60. 0: never.
   */
  readonly retryForS?: number
  /**
   * Seconds without any data after which a connection counts as broken. Default: 30. The time for which a call lets the
   * service wait, such as for the end of a run, is added.
   */
  readonly timeoutS?: number
  /** Replaces the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

type Value = string | number | boolean | null | undefined
/** A call to be made. */
export type ApiCall = {
  readonly method?: string
  /** May contain placeholders, `{name}`, for the values of `params`. */
  readonly path: string
  readonly params?: { readonly [name: string]: Value } | undefined
  readonly query?: { readonly [name: string]: Value } | undefined
  readonly headers?: { readonly [name: string]: string }
  readonly body?: unknown
  readonly idempotencyKey?: string | undefined
  /**
   * Whether to retry when it is unknown whether the call took effect. Default: true, except for a POST without an
   * `idempotencyKey`.
   */
  readonly repeatable?: boolean
  readonly signal?: AbortSignal | undefined
}

/** Makes calls to the service. */
export class Http {
  readonly #options: GleanerOptions
  readonly #base: string

  constructor(options: GleanerOptions) {
    const { url, apiKey } = options
    if (!URL.canParse(url) || !/^https?:/.test(url)) {
      throw new TypeError(
        `url must be the http(s) URL of the service, such as https://gleaner.example.com, not ${url}`,
      )
    }
    if (typeof apiKey !== 'function') checkKey(apiKey)
    this.#options = options
    this.#base = url.replace(/[?#].*/, '').replace(/\/+$/, '')
  }

  newRetries(): Retries {
    return new Retries(this.#options.retryForS ?? 60)
  }

  /** Makes one attempt, without retries. @throws {GleanerError} for any status but 2xx */
  async once(call: ApiCall): Promise<OpenResponse> {
    const { method = 'GET', body, signal, idempotencyKey } = call
    const { apiKey, timeoutS = 30, fetch = globalThis.fetch } = this.#options
    const key = typeof apiKey === 'function' ? checkKey(await apiKey()) : apiKey
    const headers = new Headers({
      accept: 'application/json',
      ...call.headers,
      authorization: `Bearer ${key}`,
    })
    if (body !== undefined) headers.set('content-type', 'application/json')
    if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey)
    const init = {
      method,
      headers,
      cache: 'no-store',
      // A redirected POST becomes a GET, and its answer would be taken for that of the POST.
      redirect: 'manual',
      ...(body !== undefined && { body: JSON.stringify(body) }),
    } as const
    const url = this.#base + pathOf(call)
    const current = new Try(new URL(url).origin, signal, (timeoutS + heldS(call)) * 1000)
    const answer = new OpenResponse(
      await current.hear(fetch(url, { ...init, signal: current.signal })),
      current,
    )
    if (answer.response.ok) return answer
    throw errorOf(answer.response, await answer.text())
  }

  /** Makes a call with retries, and reads the response. A failed read is retried too. */
  async send<T>(call: ApiCall, read: (answer: OpenResponse) => T | Promise<T>): Promise<T> {
    const { method, idempotencyKey, signal } = call
    const repeatable = call.repeatable ?? (method !== 'POST' || idempotencyKey !== undefined)
    for (const retries = this.newRetries(); ; ) {
      try {
        return await read(await this.once(call))
      } catch (error) {
        if (error instanceof GleanerError && idempotencyKey !== undefined)
          Object.assign(error, { idempotencyKey })
        await retries.wait(error, repeatable, signal)
      }
    }
  }

  /** Makes a call and returns the JSON of its response, or undefined for a 204. */
  json<T>(call: ApiCall, onHeaders?: (headers: Headers) => void): Promise<T> {
    return this.send(call, async (answer) => {
      const text = await answer.text()
      onHeaders?.(answer.response.headers)
      const { status, headers } = answer.response
      if (status === 204) return undefined as T
      if (headers.get('content-type')?.includes('json')) return parsed<T>(answer.response, text)
      throw errorOf(answer.response, text)
    })
  }
}

function checkKey(key: unknown): string {
  // The error does not show the value: it may be a valid key with a trailing line break.
  if (typeof key === 'string' && /^[\x21-\x7e]+$/.test(key)) return key
  throw new TypeError('apiKey must be an API key ("gln_…"): it is missing or contains invalid characters')
}

/** Seconds for which the service may hold the response: while it waits for an endpoint, or reads a long log. */
const HELD_S: { readonly [path: string]: number } = {
  '/v1/webhooks/{webhook_id}/test': 30,
  '/v1/webhooks/{webhook_id}/replay': 300,
}
/** Seconds that the service gives a run whose call waits for its end. */
const SYNC_S = 60

function heldS({ path, query, body }: ApiCall): number {
  const { _run } = (body ?? {}) as { readonly _run?: { readonly async?: unknown } }
  return HELD_S[path] ?? (_run?.async === false ? SYNC_S : Number(query?.wait ?? 0))
}

/** The path and the query of a call. */
function pathOf({ path, params = {}, query = {} }: ApiCall): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined || value === null || value === '') throw new TypeError(`${name} is missing`)
    return encodeURIComponent(String(value))
  })
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const text = String(new URLSearchParams(entries.map(([name, value]) => [name, String(value)])))
  return text === '' ? filled : `${filled}?${text}`
}

/** A random Idempotency-Key. `crypto.randomUUID` is not available on pages that were not loaded over https. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
