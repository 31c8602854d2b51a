/**
 * A visitor's anonymous session: cookies that the home page sets and `fetch` keeps for the run. Without a session, the
 * API returns 401.
 *
 * @module
 */
import { type Context, type FetchOptions, isPage } from 'gleaner/plugin'
import { ANSWERS, answerOf, goodJson, pageFailure, wantsSession } from './answer.ts'
import type { Site } from './domains.ts'

/**
 * Makes a request to the API of one site.
 *
 * @returns the JSON of a successful response
 * @throws {SourceError} for any other response
 */
export type Api = (path: string, query: NonNullable<FetchOptions['query']>) => Promise<unknown>

/**
 * The API with a session, which is opened before the first request and renewed at most once in a run when it expires.
 */
export function apiOf(context: Context, { origin, language }: Site): Api {
  const headers = { 'accept-language': `${language},${language.slice(0, 2)};q=0.9` }
  let sessions = 0

  async function open(): Promise<void> {
    sessions++
    const home = await context.fetch(`${origin}/`, {
      headers: { ...headers, accept: 'text/html,application/xhtml+xml' },
      accept: ANSWERS,
    })
    // A 401 or 403 page is a block. Any other failure sets no cookie, and the API then reports the missing session.
    const page = await home.text()
    if ((home.status === 401 || home.status === 403) && isPage(page)) throw pageFailure(home.status, page)
  }

  async function ask(path: string, query: NonNullable<FetchOptions['query']>) {
    const reply = await context.fetch(`${origin}${path}`, {
      headers: { ...headers, accept: 'application/json, text/plain, */*', referer: `${origin}/catalog` },
      query,
      accept: ANSWERS,
    })
    return answerOf(reply.status, await reply.text())
  }

  return async (path, query) => {
    if (sessions === 0) await open()
    const answer = await ask(path, query)
    if (!wantsSession(answer) || sessions > 1) return goodJson(answer)
    await open()
    return goodJson(await ask(path, query))
  }
}
