/**
 * A visitor's anonymous session: cookies that the home page sets. One session per site and exit serves the runs of the
 * process for the life of its token.
 *
 * @module
 */
import { at, Blocked, base64Bytes, type Context, isPage, jsonIn, numberOrNull } from 'gleaner/plugin'
import type { Site } from '../domains.ts'
import { ANSWERS, blockOf } from './answer.ts'

/** The cookies that matter to the site; the first two are sent as headers too. */
const COOKIES = [
  'access_token_web',
  'anon_id',
  'refresh_token_web',
  'anonymous-iso-locale',
  'v_udt',
  'cf_clearance',
  '__cf_bm',
  'datadome',
] as const

export type Session = { readonly cookies: ReadonlyMap<string, string> }

/** How long a token is good that does not say so, in seconds. */
const USUAL_S = 20 * 60
/** A token is replaced this long before its end, in seconds. */
const MARGIN_S = 60

/** The name of a site's session in `context.exitMemory`. */
export const sessionName = ({ domain }: Site): string => `session of ${domain}`

/** The headers that say which language a visitor reads. */
export const languageHeaders = ({ language }: Site) => ({
  'accept-language': `${language},${language.slice(0, 2)};q=0.9`,
})

/**
 * Opens a session with a visit of the home page, for `context.exitMemory.once`. A visit without a token counts for its own
 * run only: the service then reports what is missing.
 *
 * @throws {Blocked} when the home page is a captcha, a challenge or another refusal
 */
export async function openSession(
  context: Context,
  site: Site,
): Promise<{ value: Session; seconds: number }> {
  const home = await context.fetch(`${site.origin}/`, {
    as: 'document',
    headers: languageHeaders(site),
    accept: ANSWERS,
  })
  // These are the cookies of every hop, and of a token that is sent twice, the one with a value.
  const values = COOKIES.map((name) => [name, context.cookie(name, site.origin) ?? ''] as const)
  const cookies = new Map(values.filter(([, value]) => value !== ''))
  const token = cookies.get('access_token_web')
  if (token !== undefined) return { value: { cookies }, seconds: lifeOf(token, context.now()) }
  const page = await home.text()
  const isRefused = (home.status === 401 || home.status === 403) && isPage(page)
  const block = blockOf(home, page) ?? (isRefused ? 'an unexpected page' : undefined)
  if (block !== undefined) throw new Blocked(`the home page: ${home.status}: ${block}`)
  return { value: { cookies }, seconds: 0 }
}

/** The remaining life of a token (a JWT) in seconds. @param now milliseconds since 1970 */
function lifeOf(token: string, now: number): number {
  const claims = jsonIn(new TextDecoder().decode(base64Bytes(token.split('.')[1])))
  const end = numberOrNull(at(claims, 'exp'))
  return end === null ? USUAL_S : Math.max(0, end - now / 1000 - MARGIN_S)
}
