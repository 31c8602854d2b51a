/**
 * The anonymous session of a visitor, without which the API answers 401: cookies that the home page sets and
 * `fetch` keeps for the run.
 *
 * @module
 */
import { type Context, type FetchOptions, isPage } from 'gleaner/plugin'
import { ANSWERS, answerOf, goodJson, pageFailure, wantsSession } from './answer.ts'
import type { Site } from './domains.ts'

/**
 * Asks the API of one site.
 *
 * @returns the JSON of a good answer
 * @throws {SourceError} for every other one
 */
export type Api = (path: string, query: NonNullable<FetchOptions['query']>) => Promise<unknown>

/**
 * The API with a session that is opened before the first request, and renewed once in a run when it has run out.
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
    // A page that refuses is a block. Whatever else sets no cookie, and the API then says what it thinks of that.
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
