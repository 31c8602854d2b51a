/**
 * Requests from inside a page, with the visitor's cookies, where the site's script may sign them.
 *
 * @module
 */
import { type BrowserPage, LoginNeeded, statusError } from 'gleaner/plugin'
import { GONE } from '../refusals.ts'
import { ORIGIN, SIGN_IN } from '../site.ts'

/**
 * Makes a request from inside a page.
 *
 * @param path path and query
 * @returns the body, which may be empty; null when there was no response
 * @throws {SourceError} for a status that is not a success, and for a redirect to the sign-in page
 */
export async function askIn(page: BrowserPage, path: string): Promise<string | null> {
  const address = JSON.stringify(new URL(path, ORIGIN).href)
  const ask = `fetch(${address}, { credentials: 'include' }).then((reply) => ${SIGN_IN}.test(reply.url) ? 0 : reply.ok ? reply.text() : reply.status).catch(() => null)`
  const answer = await page.evaluate(ask)
  if (answer === 0) throw new LoginNeeded('redirected to the sign-in page')
  if (typeof answer === 'number') throw statusError(answer, undefined, GONE)
  return typeof answer === 'string' ? answer : null
}
