/**
 * Maps the site's error responses to the errors of a run.
 *
 * @module
 */
import {
  at,
  BadInput,
  Blocked,
  blockPage,
  type ErrorKind,
  entriesAt,
  integerOrNull,
  isPage,
  jsonIn,
  LoginNeeded,
  NotFound,
  RateLimited,
  type Reply,
  SourceChanged,
  type SourceError,
  textOrNull,
  timeOf,
  Unavailable,
} from 'gleaner/plugin'
import { timelineIn } from './answer.ts'

/**
 * The JSON of a response with a list. Errors beside a list are ignored, unless the list is empty.
 *
 * @throws {LoginNeeded} when the site does not accept the login, or has locked the account
 * @throws {RateLimited} @throws {BadInput} @throws {NotFound} by the site's codes
 * @throws {Blocked} for a page instead of the response
 * @throws {Unavailable} for errors that pass: the page may ask again
 * @throws {SourceChanged} when the operation no longer exists, or its response has changed
 */
export async function listJson(reply: Reply): Promise<unknown> {
  const body = await reply.text()
  const json = jsonIn(body)
  const instructions = at(timelineIn(json), 'instructions')
  const error = errorIn(json, reply)
  const isLost = error !== undefined && Array.isArray(instructions) && instructions.length === 0
  if (reply.status < 400 && instructions !== undefined && !isLost) return json
  throw error ?? statusFailure(reply, body, json)
}

/** The error class of each code. */
const CODES: ReadonlyMap<number, ErrorKind> = new Map([
  // "Could not authenticate you"; account suspended; token expired; account locked.
  [32, LoginNeeded],
  [64, LoginNeeded],
  [89, LoginNeeded],
  [326, LoginNeeded],
  [88, RateLimited],
  [214, BadInput],
  [34, NotFound],
  [144, NotFound],
  [29, Unavailable],
  [130, Unavailable],
  [131, Unavailable],
  // The token against forged requests is out of step with its cookie. The page renews both.
  [353, Unavailable],
])

/** The error class of messages that come without a code. */
const WORDS: readonly (readonly [RegExp, ErrorKind])[] = [
  [/^LoadShed|Timeout: Unspecified/, Unavailable],
  [/account is temporarily locked/i, LoginNeeded],
]

/** The first known error of a response, or an error without a code; undefined when there is none. */
function errorIn(json: unknown, reply: Reply): SourceError | undefined {
  const errors = entriesAt(json, 'errors').map((error) => {
    const code = integerOrNull(at(error, 'code')) ?? integerOrNull(at(error, 'extensions', 'code'))
    const words = textOrNull(at(error, 'message')) ?? 'no message'
    const errorClass = code === null ? WORDS.find(([sign]) => sign.test(words))?.[1] : CODES.get(code)
    return { code, words, errorClass }
  })
  const refusal = errors.find(({ errorClass }) => errorClass) ?? errors.find(({ code }) => code === null)
  if (!refusal) return undefined
  const { code, words, errorClass } = refusal
  const mayPass = reply.status === 200 || reply.status >= 500
  const Kind = errorClass ?? (mayPass ? Unavailable : reply.status === 403 ? Blocked : SourceChanged)
  const message = code === null ? words : `${code}: ${words}`
  return new Kind(Kind === RateLimited ? `${message}${limitOf(reply.headers)}` : message)
}

/** What the headers say about a limit: when it ends, or that it is the account that is held back. */
function limitOf(headers: Headers): string {
  if (Number(headers.get('x-rate-limit-remaining') ?? 0) > 0) return ' (the site holds the account back)'
  const ends = timeOf(headers.get('x-rate-limit-reset'))
  return ends === null ? '' : ` (until ${ends})`
}

/** @param json undefined if the body is not JSON */
function statusFailure({ status, headers }: Reply, body: string, json: unknown): SourceError {
  const message = textOrNull(at(json, 'errors', 0, 'message'))
  const words = message ?? `status ${status}`
  const block = json === undefined ? blockPage(body) : undefined
  if (block) return block
  if (status === 429 || headers.get('x-rate-limit-remaining') === '0')
    return new RateLimited(`${words}${limitOf(headers)}`)
  if (status >= 500) return new Unavailable(words)
  // The CDN refuses with a page. The site itself refuses a login with JSON, which names no reason for a lapsed one.
  if (status >= 400 && isPage(body)) return new Blocked(words)
  if (status === 401) return new LoginNeeded(words)
  if (status === 403)
    return new (json !== undefined && entriesAt(json, 'errors').length === 0 ? LoginNeeded : Blocked)(words)
  if (status === 404) return new SourceChanged('the operation no longer exists: status 404')
  return new SourceChanged(message ?? (status >= 400 ? words : 'the response has no timeline'))
}
