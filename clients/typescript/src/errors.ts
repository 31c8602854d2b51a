import type { components } from '../generated/api.d.ts'

type Problem = components['schemas']['Problem']
type RunCode = components['schemas']['RunError']['code']

/** Codes that come from the client itself. */
export type ClientCode = 'connection-failed' | 'unexpected-answer' | 'result-expired' | 'invalid-webhook'
/** The stable code of an error. A newer service may return codes that are not listed here. */
export type ErrorCode = Problem['code'] | RunCode | 'cancelled' | ClientCode | (string & {})

type Details = Partial<Omit<Problem, 'code'>> & { readonly code: ErrorCode; readonly detail: string }

/**
 * The error of a failed call. Handle it by its `code`. Two failures throw something else: an aborted call throws the
 * reason of its signal, and an invalid argument throws a `TypeError`.
 */
export class GleanerError extends Error {
  override readonly name: string = 'GleanerError'
  readonly code: ErrorCode
  /** What is wrong, and what to do about it. */
  readonly detail: string
  /** The HTTP status; undefined if no response arrived. */
  declare readonly status?: number
  declare readonly title?: string
  /** A link to the documentation of the code. */
  declare readonly type?: string
  /** The path of the request. */
  declare readonly instance?: string
  /** Quote this when you ask for help. */
  declare readonly request_id?: string
  /** For `validation-failed`: each invalid field, by JSON pointer. */
  declare readonly errors?: NonNullable<Problem['errors']>
  declare readonly run_id?: string
  /** For `insufficient-credits`: the price of the call. */
  declare readonly required?: number
  /** For `insufficient-credits`: the balance of the account. */
  declare readonly balance?: number
  /** Seconds to wait before repeating the call. */
  declare readonly retry_after_s?: number
  /** The Idempotency-Key of the call, if it had one. Repeating the call with this key has no second effect. */
  declare readonly idempotencyKey?: string
  declare readonly source?: string
  declare readonly hosted_url?: string
  declare readonly expires_at?: string

  constructor(details: Details, options?: ErrorOptions) {
    const { code, detail, request_id } = details
    super(`${detail} (${code}${request_id === undefined ? '' : `, ${request_id}`})`, options)
    this.code = code
    this.detail = detail
    Object.assign(this, details)
  }
}

/** The task needs a login at its source, and the account has no working one. */
export class LoginRequired extends GleanerError {
  override readonly name = 'LoginRequired'
  /** Open this link in a browser, sign in, then make the same call again. */
  declare readonly hosted_url: string
  /** When the link expires. */
  declare readonly expires_at: string
  /** The source that requires the login. */
  declare readonly source: string
}

/** The error for a response: a problem of the service, or the response of an intermediary such as a proxy. */
export function errorOf(response: Response, text: string): GleanerError {
  const { status, url } = response
  const retryAfterS = retryAfterOf(response)
  const retry = retryAfterS === undefined ? {} : { retry_after_s: retryAfterS }
  const problem = problemIn(text)
  if (problem?.code === 'login-required') return new LoginRequired({ ...problem, status })
  if (problem) return new GleanerError({ ...retry, ...problem, status })
  const detail = `${url || 'The service'} responded with ${status}, but the response is not from Gleaner: ${text.slice(0, 200) || 'it has no body'}`
  return new GleanerError({ ...retry, code: 'unexpected-answer', status, detail })
}

/** Parses the JSON of a response. @throws {GleanerError} `unexpected-answer` if it is not JSON */
export function parsed<T>(response: Response, text: string): T {
  try {
    return JSON.parse(text) as T
  } catch {
    throw errorOf(response, text)
  }
}

function problemIn(text: string): Problem | undefined {
  try {
    const value = JSON.parse(text) as Partial<Problem> | null
    return typeof value?.code === 'string' && typeof value.detail === 'string'
      ? (value as Problem)
      : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The seconds in a Retry-After header, which holds either a number or a date. */
function retryAfterOf({ headers }: Response): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
