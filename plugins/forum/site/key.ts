/**
 * The operator's API key: the credentials of an app of theirs, and the token that the site issues for them.
 *
 * @module
 */
import {
  at,
  Blocked,
  type Context,
  isPage,
  jsonIn,
  numberOrNull,
  SourceError,
  textOrNull,
} from 'gleaner/plugin'
import { type Answer, type Ask, answerOf, TELLING } from './ask.ts'

const API = 'https://oauth.reddit.com'
/** The API refuses the names of browsers and of HTTP libraries. */
const AGENT = 'server:gleaner:1'
const TOKEN = 'API token'
/** How long a key is not tried again, in seconds: after a refusal, and after a failure of the site. */
const REFUSED_S = 600
const FAILED_S = 60

/** The token of all runs in the process, whichever exit they have. Null without credentials, and for a while after they were refused. */
export async function tokenOf(context: Context): Promise<string | null> {
  const { credentials, memory } = context
  if (!credentials) return null
  return memory.once<string | null>(TOKEN, async () => {
    try {
      return await requestToken(context, `${credentials.OAUTH_CLIENT_ID}:${credentials.OAUTH_CLIENT_SECRET}`)
    } catch (error) {
      // A limit holds for the other routes too.
      if (!(error instanceof SourceError) || error.isFinal || error.code === 'source-rate-limited')
        throw error
      context.log('the site issued no API token', { code: error.code })
      return { value: null, seconds: error.code === 'source-unavailable' ? FAILED_S : REFUSED_S }
    }
  })
}

async function requestToken({ fetch, log }: Context, credentials: string) {
  const basic = btoa(String.fromCharCode(...new TextEncoder().encode(credentials)))
  const reply = await fetch('/api/v1/access_token', {
    method: 'POST',
    headers: {
      authorization: `Basic ${basic}`,
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': AGENT,
    },
    body: 'grant_type=client_credentials',
    cookies: false,
    accept: TELLING,
  })
  const json = jsonIn(await reply.text())
  const token = textOrNull(at(json, 'access_token'))
  if (reply.status !== 200 || token === null || !/^[\x21-\x7e]+$/.test(token)) {
    log('the site refuses the API key', { status: reply.status })
    return { value: null, seconds: REFUSED_S }
  }
  return { value: token, seconds: Math.max(FAILED_S, (numberOrNull(at(json, 'expires_in')) ?? 3600) - 60) }
}

/** Requests JSON from the API. A token that it no longer takes is replaced once for each request. */
export function askWithKey(context: Context, fetch: Context['fetch'], issuedToken: string): Ask {
  let token = issuedToken
  const ask = (path: string, query: object): Promise<Answer> =>
    answerOf(
      fetch(`${API}${path}`, {
        query: { ...query, raw_json: 1 },
        headers: { authorization: `Bearer ${token}`, 'user-agent': AGENT },
        cookies: false,
        accept: TELLING,
      }),
    )
  return async (path, query = {}) => {
    const first = await ask(path, query)
    if (!isStale(first)) return first
    if (context.memory.get(TOKEN) === token) context.memory.delete(TOKEN)
    const renewed = await tokenOf(context)
    if (renewed === null) throw new Blocked('the site refuses the API key')
    token = renewed
    const second = await ask(path, query)
    if (second.status === 401) throw new Blocked('the API refuses a new token')
    return second
  }
}

/** Whether the token may have run out: the API answers 401, or 403 with a page. */
const isStale = ({ status, body }: Answer): boolean => status === 401 || (status === 403 && isPage(body))
