/**
 * A visitor of one site, who makes the requests of a run.
 *
 * @module
 */
import type { Context, FetchOptions, Reply } from 'gleaner/plugin'
import type { Site } from '../domains.ts'
import { ANSWERS, type Answer, answerOf, wantsSession } from './answer.ts'
import { languageHeaders, openSession, type Session, sessionName } from './session.ts'

export type QueryParams = NonNullable<FetchOptions['query']>

export type Visitor = {
  /** Requests JSON of the site's own host, with a session. */
  ask(path: string, query?: QueryParams): Promise<Answer>
  /** Requests JSON of the API's host, with a session. */
  askApi(path: string, query: QueryParams): Promise<Answer>
  /** Requests a page, with the session if there is one. */
  page(path: string): Promise<Reply>
}

/**
 * A visitor of a site. The session is opened before the first request that needs one, unless an earlier run with the same exit did, and is
 * renewed at most once in a run when the site no longer accepts it. If it cannot be opened, all requests that need it
 * fail with the same error, without another attempt.
 */
export function visitorOf(context: Context, site: Site): Visitor {
  const { origin, apiOrigin, language } = site
  const name = sessionName(site)
  let session: Promise<Session> | undefined
  let isRenewed = false

  const current = () => (session ??= context.exitMemory.once(name, () => openSession(context, site)))

  async function withSession(send: (current: Session) => Promise<Reply>): Promise<Answer> {
    const requestSession = await current()
    const answer = await answerOf(await send(requestSession))
    if (!wantsSession(answer) || isRenewed) return answer
    isRenewed = true
    // Another run may have renewed it in the meantime.
    if (context.exitMemory.get(name) === requestSession) context.exitMemory.delete(name)
    session = undefined
    return answerOf(await send(await current()))
  }

  const headers = {
    ...languageHeaders(site),
    accept: 'application/json, text/plain, */*',
    referer: `${origin}/catalog`,
    locale: language,
    platform: 'web',
    'x-next-app': 'marketplace-web',
  }

  return {
    ask: (path, query = {}) =>
      withSession((requestSession) => {
        const all = { ...headers, ...cookieHeader(context, origin, requestSession) }
        return context.fetch(`${origin}${path}`, { as: 'fetch', headers: all, query, accept: ANSWERS })
      }),
    askApi: (path, query) =>
      withSession((requestSession) => {
        const all = {
          ...headers,
          ...tokenHeaders(requestSession),
          ...cookieHeader(context, apiOrigin, requestSession),
        }
        return context.fetch(`${apiOrigin}${path}`, { as: 'fetch', headers: all, query, accept: ANSWERS })
      }),
    page(path) {
      const sharedSession = context.exitMemory.get(name) as Session | undefined
      const all = { ...languageHeaders(site), ...cookieHeader(context, origin, sharedSession) }
      return context.fetch(`${origin}${path}`, { as: 'document', headers: all, accept: ANSWERS })
    },
  }
}

/** The cookies of a session that `fetch` does not send, because an earlier run or another host received them. */
function cookieHeader(context: Context, origin: string, session?: Session): Record<string, string> {
  const missing = [...(session?.cookies ?? [])].filter(([name]) => context.cookie(name, origin) === undefined)
  return missing.length === 0 ? {} : { cookie: missing.map((pair) => pair.join('=')).join('; ') }
}

function tokenHeaders({ cookies }: Session): Record<string, string> {
  const [token, visitor] = [cookies.get('access_token_web'), cookies.get('anon_id')]
  return {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(visitor === undefined ? {} : { 'x-anon-id': visitor }),
  }
}
