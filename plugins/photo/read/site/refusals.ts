/**
 * How the site refuses a request, and how a run ends when all routes are refused.
 *
 * @module
 */
import {
  at,
  Blocked,
  blockPage,
  integerOrNull,
  isPage,
  NotFound,
  refusalOf,
  SourceChanged,
  SourceError,
  type SourceErrorCode,
  textOrNull,
  titleOf,
} from 'gleaner/plugin'
import type { SitePage } from './page.ts'

/** A response, with its body as JSON if it is JSON. */
export type Answer = { readonly status: number; readonly text: string; readonly json: unknown }

/** What a refusal says about the end of the run, from the sign that counts most to the one that counts least. */
const ENDS = {
  'signed out': 'source-login-required',
  form: 'source-changed',
  verification: 'source-blocked',
  login: 'source-login-required',
  limit: 'source-rate-limited',
} as const satisfies Record<string, SourceErrorCode>

type Sign = keyof typeof ENDS

/** A refusal whose sign decides how the run ends if no other route answers. */
export class Refusal extends SourceError {
  override readonly name = 'Refusal'
  constructor(
    code: SourceErrorCode,
    message: string,
    readonly sign: Sign,
  ) {
    super(code, message)
  }
}

/** The site no longer knows the id of a query. */
export class StaleQuery extends SourceChanged {}

/** A response of the route's own form without the part that matters. */
export const otherForm = (words: string): Refusal => new Refusal('source-changed', words, 'form')

/** The site asks for a sign-in. It says so for single profiles too, so it does not mean that a login is refused. */
export const loginAsked = (words: string): Refusal => new Refusal('source-login-required', words, 'login')

/** The login itself is refused. Only a member can get this. */
export const signedOut = (words: string): Refusal => new Refusal('source-login-required', words, 'signed out')

/** A limit, after which members wait. For visitors there is no such limit at the other routes, so they go on. */
export const limitReached = (words: string, signedIn: boolean): Refusal =>
  new Refusal(signedIn ? 'source-rate-limited' : 'source-blocked', words, 'limit')

/** A page without its data, which the site serves after too many pages. Its other routes have no such limit. */
export const throttled = (words: string): Refusal => new Refusal('source-blocked', words, 'limit')

/** A request for a verification. A member must complete it at the site, and the login does not work before. */
const verification = (words: string, signedIn: boolean): Refusal =>
  signedIn ? signedOut(words) : new Refusal('source-blocked', words, 'verification')

/** The error of a run whose routes were all refused. @param refusals at least one */
export function endOf(refusals: readonly SourceError[]): SourceError {
  for (const [sign, code] of Object.entries(ENDS)) {
    const telling = refusals.filter((one) => one instanceof Refusal && one.sign === sign)
    if (telling.length > 0) return new Refusal(code, wordsOf(telling), sign as Sign)
  }
  const { code } = refusalOf(refusals)
  return new SourceError(code, wordsOf(refusals.filter((one) => one.code === code)))
}

const wordsOf = (refusals: readonly SourceError[]): string =>
  [...new Set(refusals.map(({ message }) => message))].join('; ')

const VERIFICATION = /^(?:checkpoint|challenge)_required$|\/(?:auth_platform|challenge|accounts\/suspended)\b/
const LIMIT = /wait a few minutes|too many requests|rate limit/i

/** Whether the login itself is refused. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof Refusal && error.sign === 'signed out'
/** Whether the site asks to come back later. */
export const isLimit = (error: unknown): boolean => error instanceof Refusal && error.sign === 'limit'

/** The refusal that a redirect to the sign-in or to a verification means. Other errors stay as they are. */
export function redirectRefusal(error: unknown, signedIn: boolean): unknown {
  const isRedirect = error instanceof SourceError && error.code === 'source-login-required'
  if (!isRedirect || error instanceof Refusal) return error
  const { message } = error
  if (VERIFICATION.test(message)) return verification(message, signedIn)
  return signedIn && message.includes('/accounts/') ? signedOut(message) : loginAsked(message)
}

/** The refusal in a response of the API; undefined when it is none. */
export function apiRefusal({ status, text, json }: Answer, signedIn: boolean): SourceError | undefined {
  const message = textOrNull(at(json, 'message')) ?? ''
  const words = `${status}: ${message || 'no message'}`
  const asksLogin = status === 401 || at(json, 'require_login') === true
  if (VERIFICATION.test(message)) return verification(words, signedIn)
  if (message === 'login_required') return signedIn ? signedOut(words) : loginAsked(words)
  // With `require_login`, visitors are not let in at all, however long they wait.
  if ((status === 429 || LIMIT.test(message)) && (signedIn || !asksLogin))
    return limitReached(words, signedIn)
  if (asksLogin) return loginAsked(words)
  if (status < 300 && json === undefined) return textRefusal(text)
  if (status === 404) return isPage(text) ? new SourceChanged(`404: ${titleOf(text)}`) : new NotFound(words)
  const isFine = status < 300 && message === '' && at(json, 'status') !== 'fail'
  return isFine ? undefined : (blockPage(text) ?? new Blocked(words))
}

/** The refusal of a page; undefined when the page has data, or is the sign-in page. */
export function pageRefusal(answer: Answer, page: SitePage, signedIn: boolean): SourceError | undefined {
  const { status, text } = answer
  if (page.kind !== null || (status < 300 && page.token !== null)) return undefined
  const words = `a page without data: ${page.title ?? 'no title'}`
  if (status === 404) return new SourceChanged(words)
  if (status >= 400 || answer.json !== undefined)
    return apiRefusal(answer, signedIn) ?? new SourceChanged(words)
  return text.trim() === '' ? new Blocked('an empty response') : (blockPage(text) ?? new SourceChanged(words))
}

/** The refusal in a text instead of JSON. */
function textRefusal(text: string): SourceError {
  if (text.trim() === '') return new Blocked('an empty response')
  if (!isPage(text)) return new SourceChanged('the response is not JSON')
  return blockPage(text) ?? new SourceChanged(`a page instead of JSON: ${titleOf(text) ?? 'no title'}`)
}

const UNAUTHORIZED = 1675002
const TOO_MANY = 1675004

/** The refusal in a response of GraphQL; undefined when it is none. */
export function queryRefusal(answer: Answer, signedIn: boolean): SourceError | undefined {
  const { status, text, json } = answer
  // Visitors who are not let in get the sign-in page, with status 200.
  if (status < 300 && json === undefined && !signedIn && isPage(text))
    return blockPage(text) ?? loginAsked(`a page instead of JSON: ${titleOf(text) ?? 'no title'}`)
  // All queries have this one address, so its absence says nothing about what was asked for.
  if (status === 404) return new SourceChanged('404: the address of the queries is gone')
  const refusal = apiRefusal(answer, signedIn)
  const error = at(json, 'errors', 0)
  if (refusal || error === undefined) return refusal
  const code = integerOrNull(at(error, 'code'))
  const message = textOrNull(at(error, 'message')) ?? 'no message'
  const words = code === null ? message : `${code}: ${message}`
  if (code === TOO_MANY) return limitReached(words, signedIn)
  if (code === UNAUTHORIZED) return signedIn ? new Blocked(words) : loginAsked(words)
  if (/document with ID \d+ was not found/.test(message)) return new StaleQuery(words)
  return at(json, 'data') === null ? new Blocked(words) : undefined
}
