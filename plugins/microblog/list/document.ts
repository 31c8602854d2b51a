/**
 * Recognizes documents that will never show a list.
 *
 * @module
 */
import {
  at,
  Blocked,
  blockPage,
  jsonAfter,
  LoginNeeded,
  SourceChanged,
  type SourceError,
  textOrNull,
  Unavailable,
} from 'gleaner/plugin'

/** Statuses of a document that {@link documentFailure} maps more precisely than the kit. */
export const READ_STATUSES: readonly number[] = [400, 401, 403, 404, 410, 503]

/** The error for a document; undefined for one that may ask for its list. */
export function documentFailure(status: number, html: string): SourceError | undefined {
  if (status < 400) return signedOut(html) ?? (/<script\b/i.test(html) ? undefined : unreadable(html))
  const block = blockPage(html)
  if (block) return block
  const words = `status ${status}`
  if (status === 404 || status === 410) return new SourceChanged(`the page no longer exists: ${words}`)
  return status === 503 ? new Unavailable(words) : new Blocked(words)
}

const unreadable = (html: string): SourceError =>
  blockPage(html) ?? new SourceChanged('the page has no script')

/** The error for a page that never asked for its list. */
export const silent = (html: string): SourceError =>
  blockPage(html) ?? signedOut(html) ?? new SourceChanged('the page never asked for its list')

/** The script of the client that visitors get since 2026. Members still get the older client. */
const VISITORS = /<(?:script|link)\b[^<>]*\/entry-client-logged-out/
/** The marker of the initial state, which every page of the older client contains. */
const STATE = 'window.__INITIAL_STATE__='

/** The error for a page of a visitor, which never asks for a list. */
function signedOut(html: string): LoginNeeded | undefined {
  if (VISITORS.test(html)) return new LoginNeeded('the site shows the page of signed-out visitors')
  const state = jsonAfter(html, STATE)
  const isOut = state !== undefined && textOrNull(at(state, 'session', 'user_id')) === null
  return isOut ? new LoginNeeded('the page says that no one is signed in') : undefined
}
