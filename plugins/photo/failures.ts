/**
 * Maps Instagram's failures to the errors of a run.
 *
 * @module
 */
import {
  at,
  BadInput,
  Blocked,
  blockPage,
  jsonAfter,
  LoginNeeded,
  NotFound,
  RateLimited,
  SourceChanged,
  SourceError,
  textOrNull,
  titleOf,
} from 'gleaner/plugin'

/** Statuses whose body states the reason. */
export const TOLD: readonly number[] = [400, 401, 403, 404]

/** The error in a response of the API; undefined for a successful response. */
export function failureIn(status: number, json: unknown): SourceError | undefined {
  const message = textOrNull(at(json, 'message'))
  if (status < 300 && message === null && at(json, 'status') !== 'fail') return undefined
  const words = `${status}: ${message ?? 'no message'}`
  if (/^(?:checkpoint|challenge)_required$/.test(message ?? '')) return new Blocked(words)
  // A rate limit may also ask for a sign-in, which would lift the limit, so it is checked first.
  if (/wait a few minutes|too many requests|rate limit/i.test(message ?? '')) return new RateLimited(words)
  if (status === 401 || message === 'login_required' || at(json, 'require_login') === true)
    return new LoginNeeded(words)
  if (status === 404) return new NotFound(words)
  return status === 400 ? new BadInput(words) : new Blocked(words)
}

/**
 * Converts a verification request to LoginNeeded if the run has a login. A visitor is blocked by it. A member must
 * complete it at the site, and the login does not work before.
 */
export const endOf = (error: unknown, signedIn: boolean): unknown =>
  signedIn &&
  error instanceof SourceError &&
  error.code === 'source-blocked' &&
  CHECKPOINT.test(error.message)
    ? new LoginNeeded(error.message)
    : error

/** A verification request, in the message of a response, in the URL of a redirect, or as the name of a page. */
const CHECKPOINT =
  /checkpoint_required|challenge_required|instagram\.com\/(?:challenge|accounts\/suspended)\b|: Challenge$/

/** The error for a text instead of JSON. */
export function failureOfText(status: number, text: string): SourceError {
  if (status >= 300) return byStatus(status)
  if (text.trim() === '') return new Blocked('an empty response')
  if (!/^\s*</.test(text)) return new SourceChanged('the response is not JSON')
  return (
    failureInPage(text) ??
    blockPage(text) ??
    new SourceChanged(`a page instead of JSON: ${titleOf(text) ?? 'no title'}`)
  )
}

const byStatus = (status: number): SourceError =>
  failureIn(status, undefined) ?? new SourceChanged(`${status}: a response without a body`)

/** The error for an interstitial; undefined for any other page. */
export function failureInPage(html: string): SourceError | undefined {
  const entries = at(sharedDataOf(html), 'entry_data')
  if (at(entries, 'Challenge') !== undefined)
    return new Blocked('a page that asks for verification: Challenge')
  const login = ['LandingPage', 'LoginAndSignupPage'].find((name) => at(entries, name) !== undefined)
  return login === undefined ? undefined : new LoginNeeded(`a sign-in page: ${login}`)
}

/** The state in pages up to 2021; undefined when a page has no readable state. */
export function sharedDataOf(html: string): unknown {
  try {
    return jsonAfter(html, 'window._sharedData =')
  } catch (error) {
    if (error instanceof SourceError) return undefined
    throw error
  }
}
