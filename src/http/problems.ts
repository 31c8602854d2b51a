/**
 * Errors as clients see them: RFC 9457 problem details with a stable code. One table holds all codes.
 *
 * @module
 */
import type { Refusal } from '../domain/decider.ts'
import { StoreUnavailable, WrongExpectedRevision } from '../log/event-log.ts'
import { Refused } from '../log/refused.ts'
import type { Logger } from '../logger.ts'
import type { Issue } from '../plugin.ts'

const problem = (status: number, title: string, detail: string) => ({ status, title, detail })

/** All codes, each with its status, its title and its default detail. */
export const PROBLEMS = {
  'malformed-json': problem(400, 'The body is not a JSON object', 'Send a JSON object in UTF-8.'),
  'bad-form': problem(400, 'The form is not readable', 'Open the page again and fill in the form.'),
  'bad-idempotency-key': problem(
    400,
    'Invalid Idempotency-Key',
    'An Idempotency-Key has 1 to 255 printable ASCII characters.',
  ),
  'missing-key': problem(
    401,
    'Missing API key',
    'Send your API key in the header "Authorization: Bearer <API_KEY>".',
  ),
  'invalid-key': problem(401, 'Invalid API key', 'Unknown API key. Check that it was copied completely.'),
  'revoked-key': problem(401, 'The API key was revoked', 'Use another key of the account, or create one.'),
  'expired-key': problem(401, 'The API key has expired', 'Use another key of the account, or create one.'),
  'insufficient-credits': problem(
    403,
    'Not enough credits',
    'The account has fewer credits than this call costs. Nothing was charged.',
  ),
  'task-not-allowed': problem(403, 'Task not allowed', "This task is not among the account's entitlements."),
  'key-scope': problem(
    403,
    'Not allowed with this key',
    'This key does not have the scope that this call requires, or the person who created it no longer has the role.',
  ),
  'account-suspended': problem(
    403,
    'The account is suspended',
    'A suspended account can read, but it cannot start runs.',
  ),
  'forbidden-origin': problem(
    403,
    'Sent by another site',
    'This form was sent by a page of another site. Nothing was changed. Open the page here and send it again.',
  ),
  'not-found': problem(404, 'Not found', 'There is nothing at this path, or this key cannot see it.'),
  'method-not-allowed': problem(
    405,
    'Method not allowed',
    'The Allow header lists the methods of this path.',
  ),
  'idempotency-in-progress': problem(
    409,
    'A request with this Idempotency-Key is in progress',
    'Send the same request again in a moment.',
  ),
  'run-finished': problem(409, 'The run has ended', 'A run that has ended cannot be cancelled.'),
  'last-admin-key': problem(
    409,
    'Last admin key',
    "This is the account's last key with the scope admin. Create another one before you revoke it.",
  ),
  'too-many-webhooks': problem(
    409,
    'Too many webhooks',
    'An account has at most 20 webhooks. Delete one first.',
  ),
  'body-too-large': problem(413, 'The body is too large', 'The largest request body is 1 MiB.'),
  'unsupported-media-type': problem(415, 'Unsupported media type', 'Send the body as application/json.'),
  'validation-failed': problem(422, 'Invalid request', 'errors lists each invalid field.'),
  'idempotency-key-reused': problem(
    422,
    'The Idempotency-Key was used for a different request',
    'Use a new Idempotency-Key for each new request.',
  ),
  'login-required': problem(
    428,
    'Sign-in required',
    'Open hosted_url, sign in at the source, then send the same request again.',
  ),
  'rate-limited': problem(
    429,
    'Too many requests',
    'The rate limit of the account is exceeded. Try again after Retry-After seconds.',
  ),
  internal: problem(
    500,
    'Internal error',
    'Something went wrong on our side. If it happens again, report it with the request_id.',
  ),
  'store-unavailable': problem(
    503,
    'A store is unavailable',
    'This request may or may not have taken effect. Repeat it with its Idempotency-Key: that makes at most one run and one charge.',
  ),
  'shutting-down': problem(
    503,
    'Shutting down',
    'The service is shutting down. Nothing was changed; send the request again.',
  ),
}

/** The stable slug of a problem, sent as `code`. */
export type ProblemCode = keyof typeof PROBLEMS

export type ProblemOptions = {
  /** shown to clients; default: the detail of the code */
  readonly detail?: string
  /** default: the status of the code */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** fields of particular problems, as described in `ProblemSchema` */
  readonly extras?: {
    readonly [field: string]: unknown
    /** also sent as Retry-After */
    readonly retry_after_s?: number
  }
  /** only for the log */
  readonly cause?: unknown
}

/** Thrown anywhere below a handler; the pipeline turns it into the answer. */
export class Problem extends Error {
  override readonly name = 'Problem'
  constructor(
    readonly code: ProblemCode,
    readonly options: ProblemOptions = {},
  ) {
    super(options.detail ?? PROBLEMS[code].detail, { cause: options.cause })
  }

  get status(): number {
    return this.options.status ?? PROBLEMS[this.code].status
  }
}

/** A longer description of the first invalid field is in `errors` alone, in characters. */
const LONGEST_DETAIL = 300

/** A 422 that names each invalid field. Its detail describes the first one. */
export function invalid(errors: readonly Issue[]): Problem {
  const [first] = errors
  const whole = first && `${first.pointer} ${first.detail}`.trimStart()
  const detail =
    whole && whole.length > LONGEST_DETAIL ? `${first.pointer} is not valid: see errors`.trimStart() : whole
  return new Problem('validation-failed', detail ? { detail, extras: { errors } } : {})
}

/** A 422 for one field. */
export const invalidAt = (pointer: string, code: string, detail: string): Problem =>
  invalid([{ pointer, code, detail }])

/** Returns a value that was looked up. @throws {Problem} 404 if it is undefined */
export function existing<T>(value: T | undefined): T {
  if (value === undefined) throw new Problem('not-found')
  return value
}

/** The problem of a refused command; undefined for a refusal that its caller must answer itself. */
export function problemOfRefusal(
  refusal: Refusal & { readonly [fact: string]: unknown },
): Problem | undefined {
  const { refused, ...facts } = refusal
  switch (refused) {
    case 'not-found':
    case 'not-a-member':
    case 'not-invited':
    case 'not-owner':
      return new Problem('not-found')
    case 'account-suspended':
    case 'task-not-allowed':
    case 'insufficient-credits':
    case 'too-many-webhooks':
      return new Problem(refused, { extras: facts })
    case 'ended':
      return new Problem('run-finished', { extras: { run_id: facts.runId } })
    case 'invalid-url':
      return invalidAt('/url', 'bad-format', String(facts.detail))
    default:
      return undefined
  }
}

/** The URL of the documentation for a code. @param publicUrl of this service */
export const problemType = (code: ProblemCode, publicUrl: string): string =>
  `${publicUrl}/docs#problem-${code}`

/** Retry-After if a store was unavailable, in seconds. */
const STORE_RETRY_S = 2
const UNREAD = 'The answer could not be read. Nothing was changed; send the request again.'

/**
 * Converts any error to a problem. An unexpected error is logged with its stack; the response omits the stack.
 *
 * @param requestId logged with the error
 * @param method of the request: a GET changes nothing, so its 503 does not warn of an effect
 */
export function problemOf(error: unknown, requestId: string, logger: Logger, method = 'POST'): Problem {
  if (error instanceof Problem) return error
  const refusal = error instanceof Refused ? problemOfRefusal(error.refusal) : undefined
  if (refusal) return refusal
  // A request that lost every race for a stream can only be retried, as if the store were unavailable.
  if (error instanceof StoreUnavailable || error instanceof WrongExpectedRevision) {
    logger.error(
      { err: error, request_id: requestId },
      'A store is unavailable. The request was answered with 503.',
    )
    const detail = method === 'GET' || method === 'HEAD' ? { detail: UNREAD } : {}
    return new Problem('store-unavailable', {
      ...detail,
      extras: { retry_after_s: STORE_RETRY_S },
      cause: error,
    })
  }
  logger.error(
    { err: error, request_id: requestId },
    'A request failed unexpectedly. It was answered with 500.',
  )
  return new Problem('internal', { cause: error })
}

/** What problem details say of the request: its id, its path, and the public URL of the service. */
export type ProblemPlace = {
  readonly requestId: string
  readonly instance: string
  readonly publicUrl: string
}

/** The response for a problem, as `application/problem+json`. */
export function problemResponse(
  problem: Problem,
  { requestId, instance, publicUrl }: ProblemPlace,
): Response {
  const { code, message, status, options } = problem
  const body = {
    type: problemType(code, publicUrl),
    title: PROBLEMS[code].title,
    status,
    detail: message,
    instance,
    code,
    request_id: requestId,
    ...options.extras,
  }
  const headers = problemHeaders(problem, {
    'content-type': 'application/problem+json',
    'x-request-id': requestId,
  })
  if (status === 401) headers.set('www-authenticate', 'Bearer')
  return new Response(JSON.stringify(body), { status, headers })
}

/** The headers of a response that reports a problem, in any format. @param more additional headers of the format */
export function problemHeaders({ options }: Problem, more: Readonly<Record<string, string>> = {}): Headers {
  const headers = new Headers({ ...more, ...options.headers })
  const retry = options.extras?.retry_after_s
  if (retry !== undefined) headers.set('retry-after', String(retry))
  return headers
}
