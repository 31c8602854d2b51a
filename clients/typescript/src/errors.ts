import type { components } from '../generated/api.d.ts'
import type { EndedRun } from './run.ts'

type Problem = components['schemas']['Problem']
type RunCode = components['schemas']['RunError']['code']

/** Codes that come from the client itself. */
export type ClientCode = 'connection-failed' | 'unexpected-answer' | 'result-expired' | 'invalid-webhook'
/** The stable code of an error. A newer service may have codes that are not listed here. */
export type ErrorCode = Problem['code'] | RunCode | 'cancelled' | ClientCode | (string & {})

type Details = Partial<Omit<Problem, 'code'>> & { readonly code: ErrorCode; readonly detail: string }

/** Every error of the client but one: an abort throws the reason of its signal. Decide by `code`. */
export class GleanerError extends Error {
  override readonly name: string = 'GleanerError'
  readonly code: ErrorCode
  /** What is wrong, and what to do about it. */
  readonly detail: string
  /** The HTTP status of the answer; undefined without one. */
  declare readonly status?: number
  declare readonly title?: string
  /** A link to the documentation of the code. */
  declare readonly type?: string
  /** The path of the request. */
  declare readonly instance?: string
  /** Quote this when you ask for help. */
  declare readonly request_id?: string
  /** Of `validation-failed`: each invalid field, by JSON pointer. */
  declare readonly errors?: NonNullable<Problem['errors']>
  declare readonly run_id?: string
  /** Of `insufficient-credits`: the price of the call. */
  declare readonly required?: number
  /** Of `insufficient-credits`: what the account has. */
  declare readonly balance?: number
  /** Seconds after which the call may be made again. */
  declare readonly retry_after_s?: number
  /** Of a call with an Idempotency-Key: make the call again with it, and nothing happens twice. */
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

/** The task needs a login at its source, and the account has none that works. */
export class LoginRequired extends GleanerError {
  override readonly name = 'LoginRequired'
  /** Open this link in a browser, sign in, then make the same call again. */
  declare readonly hosted_url: string
  /** When the link expires. */
  declare readonly expires_at: string
  /** The source that wants the login. */
  declare readonly source: string
}

/** A run has ended otherwise than as succeeded. `code` is that of its `error`, or `cancelled`. */
export class RunFailed extends GleanerError {
  override readonly name = 'RunFailed'
  /** The run, with what it had collected until then. */
  readonly run: EndedRun

  constructor(run: EndedRun) {
    const { error, run_id } = run
    const detail = error ? `${error.title}: ${error.detail}` : `The run was ${run.run_status}.`
    super({ code: error?.code ?? run.run_status, detail, run_id })
    this.run = run
  }
}

/** The error that an answer stands for: a problem of the service, or something in between that answered in its place. */
export function errorOf(response: Response, text: string): GleanerError {
  const { status, url } = response
  const retryAfterS = retryAfterOf(response)
  const retry = retryAfterS === undefined ? {} : { retry_after_s: retryAfterS }
  const problem = problemIn(text)
  if (problem?.code === 'login-required') return new LoginRequired({ ...problem, status })
  if (problem) return new GleanerError({ ...retry, ...problem, status })
  const detail = `${url || 'The service'} answered ${status}, but not as Gleaner does: ${text.slice(0, 200) || 'without a body'}`
  return new GleanerError({ ...retry, code: 'unexpected-answer', status, detail })
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

/** Seconds, from either form of Retry-After. */
function retryAfterOf({ headers }: Response): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
