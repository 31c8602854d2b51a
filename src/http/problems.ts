/**
 * What goes wrong, as clients see it: RFC 9457 problem details with a stable code. One table of all codes.
 *
 * @module
 */
import { StoreUnavailable, WrongExpectedRevision } from '../log/event-log.ts'
import type { Logger } from '../logger.ts'
import type { Issue } from '../plugin.ts'

type Kind = { readonly status: number; readonly title: string; readonly detail: string }

/** All codes, each with its status, its title and the detail that it has when nothing more is known. */
export const PROBLEMS = {
  'malformed-json': {
    status: 400,
    title: 'The body is not a JSON object',
    detail: 'Send a JSON object in UTF-8.',
  },
  'bad-idempotency-key': {
    status: 400,
    title: 'Invalid Idempotency-Key',
    detail: 'An Idempotency-Key has 1 to 255 printable ASCII characters.',
  },
  'missing-key': {
    status: 401,
    title: 'Missing API key',
    detail: 'Send your API key in the header "Authorization: Bearer <API_KEY>".',
  },
  'invalid-key': {
    status: 401,
    title: 'Invalid API key',
    detail: 'Unknown API key. Check that it was copied completely.',
  },
  'revoked-key': {
    status: 401,
    title: 'The API key was revoked',
    detail: 'Use another key of the account, or create one.',
  },
  'expired-key': {
    status: 401,
    title: 'The API key has expired',
    detail: 'Use another key of the account, or create one.',
  },
  'insufficient-credits': {
    status: 403,
    title: 'Not enough credits',
    detail: 'The account has fewer credits than this call costs. Nothing was charged.',
  },
  'task-not-allowed': {
    status: 403,
    title: 'Task not allowed',
    detail: "This task is not among the account's entitlements.",
  },
  'key-scope': {
    status: 403,
    title: 'Not allowed with this key',
    detail: 'This key does not have the scope that this call needs.',
  },
  'account-suspended': {
    status: 403,
    title: 'The account is suspended',
    detail: 'A suspended account can read, but it cannot start runs.',
  },
  'not-found': {
    status: 404,
    title: 'Not found',
    detail: 'There is nothing at this path, or this key cannot see it.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    detail: 'The Allow header lists the methods of this path.',
  },
  'idempotency-in-progress': {
    status: 409,
    title: 'The first request with this Idempotency-Key is still in progress',
    detail: 'Send the same request again in a moment.',
  },
  'run-finished': {
    status: 409,
    title: 'The run has ended',
    detail: 'A run that has ended cannot be cancelled.',
  },
  'last-admin-key': {
    status: 409,
    title: 'Last admin key',
    detail: "This is the account's last key with the scope admin. Create another one before you revoke it.",
  },
  'body-too-large': {
    status: 413,
    title: 'The body is too large',
    detail: 'The largest request body is 1 MiB.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    detail: 'Send the body as application/json.',
  },
  'validation-failed': {
    status: 422,
    title: 'The request is not valid',
    detail: 'errors lists each invalid field.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
    detail: 'Use a new Idempotency-Key for a new request.',
  },
  'login-required': {
    status: 428,
    title: 'A login at the source is required',
    detail: 'Open hosted_url, sign in, then send the same request again.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    detail: 'The rate limit of the account is exceeded. Try again after Retry-After seconds.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    detail: 'Something went wrong on our side. If it happens again, report it with the request_id.',
  },
  'store-unavailable': {
    status: 503,
    title: 'The store cannot be reached',
    detail:
      'It is not known whether this request took effect. Send it again with its Idempotency-Key: that makes at most one run and one charge.',
  },
  'shutting-down': {
    status: 503,
    title: 'Shutting down',
    detail: 'The service is shutting down. Nothing was changed; send the request again.',
  },
} as const satisfies Record<string, Kind>

/** The stable slug of a problem: its `code`. */
export type ProblemCode = keyof typeof PROBLEMS

/** Fields that a problem has beside those that every problem has. */
export type ProblemExtras = {
  readonly errors?: readonly Issue[]
  readonly run_id?: string
  readonly hosted_url?: string
  readonly expires_at?: string
  readonly source?: string
  readonly required?: number
  readonly balance?: number
  /** seconds; sent as Retry-After too */
  readonly retry_after_s?: number
}

export type ProblemOptions = {
  /** for clients; default: the detail of the code */
  readonly detail?: string
  /** default: the status of the code */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly extras?: ProblemExtras
  /** for the log alone */
  readonly cause?: unknown
}

/** Thrown anywhere below a handler; the app turns it into the answer. */
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

/** 422 that names each offending field; its detail is about the first. */
export function invalid(errors: readonly Issue[]): Problem {
  const [first] = errors
  const detail = first && `${first.pointer} ${first.detail}`.trimStart()
  return new Problem('validation-failed', detail ? { detail, extras: { errors } } : {})
}

/** Where the documentation explains a code: a path of this very service, so that it can be opened. */
export const problemType = (code: ProblemCode): string => `/docs#problem-${code}`

/** Seconds after which a client may try again when the store was not there. */
const STORE_RETRY_S = 2

/**
 * Any error as a problem. What is not one of ours is logged with its stack, and told without it.
 *
 * @param requestId stands in the log beside it
 */
export function problemOf(error: unknown, requestId: string, logger: Logger): Problem {
  if (error instanceof Problem) return error
  // Whoever lost every race for a stream can only be asked to come again, as when the store is away.
  if (error instanceof StoreUnavailable || error instanceof WrongExpectedRevision) {
    logger.error({ err: error, request_id: requestId }, 'the store is unavailable')
    return new Problem('store-unavailable', { extras: { retry_after_s: STORE_RETRY_S }, cause: error })
  }
  logger.error({ err: error, request_id: requestId }, 'a request failed')
  return new Problem('internal', { cause: error })
}

/**
 * The answer to a problem, as `application/problem+json`.
 *
 * @param instance the path of the request
 */
export function problemResponse(problem: Problem, requestId: string, instance: string): Response {
  const { code, message, status, options } = problem
  const body = {
    type: problemType(code),
    title: PROBLEMS[code].title,
    status,
    detail: message,
    instance,
    code,
    request_id: requestId,
    ...options.extras,
  }
  const headers = new Headers({ 'content-type': 'application/problem+json', ...options.headers })
  headers.set('x-request-id', requestId)
  if (status === 401) headers.set('www-authenticate', 'Bearer')
  const retry = options.extras?.retry_after_s
  if (retry !== undefined) headers.set('retry-after', String(retry))
  return new Response(JSON.stringify(body), { status, headers })
}
