/**
 * Maps the site's failure pages and error responses to the errors of a run.
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
  jsonAfter,
  jsonIn,
  LoginNeeded,
  NotFound,
  RateLimited,
  type Reply,
  SourceChanged,
  type SourceError,
  textOrNull,
  Unavailable,
} from 'gleaner/plugin'
import { timelineIn } from './answer.ts'

/**
 * The JSON of a response with a list. Errors beside a list are ignored, unless the list is empty.
 *
 * @throws {LoginNeeded} when the site does not accept the login, or has locked the account
 * @throws {RateLimited} @throws {BadInput} @throws {NotFound} by the site's codes
 * @throws {Blocked} for a page instead of the response
 * @throws {Unavailable} for errors of the site
 * @throws {SourceChanged} when the operation no longer exists, or its response has changed
 */
export async function listJson(reply: Reply): Promise<unknown> {
  const body = await reply.text()
  const json = jsonIn(body)
  const instructions = at(timelineIn(json), 'instructions')
  const error = errorIn(json)
  const isLost = error !== undefined && Array.isArray(instructions) && instructions.length === 0
  if (reply.status < 400 && instructions !== undefined && !isLost) return json
  throw error ?? statusFailure(reply.status, json === undefined ? body : null)
}

/** The error class of each code. */
const CODES: ReadonlyMap<number, ErrorKind> = new Map([
  // "Could not authenticate you"; account suspended or locked; token expired or from another session.
  [32, LoginNeeded],
  [64, LoginNeeded],
  [89, LoginNeeded],
  [326, LoginNeeded],
  [353, LoginNeeded],
  [88, RateLimited],
  [214, BadInput],
  [34, NotFound],
  [144, NotFound],
  [29, Unavailable],
  [130, Unavailable],
  [131, Unavailable],
])

/** The first known error of a response; undefined when there is none. */
function errorIn(json: unknown): SourceError | undefined {
  const errors = entriesAt(json, 'errors')
  for (const error of errors) {
    const code = integerOrNull(at(error, 'code')) ?? integerOrNull(at(error, 'extensions', 'code'))
    const Kind = code === null ? undefined : CODES.get(code)
    if (Kind) return new Kind(`${code}: ${wordsOf(error)}`)
  }
  return undefined
}

const wordsOf = (error: unknown): string => textOrNull(at(error, 'message')) ?? 'no message'

/** @param page the body if it is not JSON, otherwise null */
function statusFailure(status: number, page: string | null): SourceError {
  const words = `status ${status}`
  const block = page === null ? undefined : blockPage(page)
  if (block) return block
  if (status === 429) return new RateLimited(words)
  if (status >= 500) return new Unavailable(words)
  if (status === 404) return new SourceChanged('the operation no longer exists: status 404')
  // The CDN refuses with a page, the site itself with JSON.
  if (status >= 400 && page !== null) return new Blocked(words)
  if (status === 401) return new LoginNeeded(words)
  if (status === 403) return new Blocked(words)
  return new SourceChanged(status >= 400 ? words : 'the response has no timeline')
}

/** Statuses of a document that {@link documentFailure} maps more precisely than the kit. */
export const READ_STATUSES: readonly number[] = [400, 401, 403, 404, 503]

/** The error for a document; undefined for a successful one. */
export function documentFailure(status: number, html: string): SourceError | undefined {
  if (status < 400) return undefined
  if (status === 404) return new SourceChanged('the page no longer exists: status 404')
  return (
    blockPage(html) ??
    (status === 503 ? new Unavailable(`status ${status}`) : new Blocked(`status ${status}`))
  )
}

/** The marker of the initial state, which every page of the site contains. */
const STATE = 'window.__INITIAL_STATE__='

/** The error for a page without any part of its list. @param words the message, unless the page shows another reason */
export function emptyPage(html: string, words: string): SourceError {
  const block = blockPage(html)
  if (block) return block
  const state = jsonAfter(html, STATE)
  const isOut = state !== undefined && textOrNull(at(state, 'session', 'user_id')) === null
  return isOut ? new LoginNeeded('the page says that no one is signed in') : new SourceChanged(words)
}
