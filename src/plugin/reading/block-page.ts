/**
 * Pages that services between a site and its visitors put in place of what was asked for.
 *
 * @module
 */
import { Blocked, type ErrorKind, type SourceError } from '../errors.ts'
import { textOf } from './text.ts'

/** Titles of such pages: Cloudflare, DataDome, HUMAN, Akamai, Imperva, CloudFront, AWS, and the sites' own. */
const TITLE =
  /denied|captcha|just a moment|attention required|could not be satisfied|pardon our interruption|request unsuccessful|security (?:check|verification)|checking your browser|are you (?:a )?human|human verification|verify(?:ing)? (?:that )?you are|robot|you have been blocked/i

/** What only a page that asks to be solved has; ordinary pages load the same vendors' scripts. */
const MARKS: readonly RegExp[] = [
  /(?:id|content)="px-captcha"/i,
  /class="(?:g-recaptcha|h-captcha|cf-turnstile)[" ]/i,
  /(?:src|href)="https?:\/\/[a-z0-9.-]*captcha-delivery\.com\/(?:captcha|interstitial)/i,
  /_Incapsula_Resource[^"']*incident_id/i,
  /\/cdn-cgi\/challenge-platform\/[^"']*orchestrate/i,
  /AwsWafIntegration\.(?:checkForceRefresh|forceRefreshToken)|awsWafCookieDomainList/,
]

/**
 * The title of a page, to tell what it is in place of what was asked for.
 *
 * @returns null when it has none
 * @example
 * titleOf('<html><title>Lamps &amp; more</title>') // => 'Lamps & more'
 */
export const titleOf = (html: string): string | null => textOf(/<title[^>]*>([^<]*)/i.exec(html)?.[1])

/**
 * Pages of a source's own that come in place of its content: what they hold, the words of the error, and its kind where
 * that is not `Blocked`. The first that fits counts.
 *
 * @example
 * const signs: PageSigns = [[/Before you continue/, 'consent page'], [/Too many requests/, 'slow down', RateLimited]]
 * blockPage('<h1>Too many requests</h1>', signs)?.code // => 'source-rate-limited'
 */
export type PageSigns = readonly (readonly [sign: RegExp, words: string, kind?: ErrorKind])[]

/**
 * The block or captcha page that a body is, for when it lacks what it should have: an ordinary page about robots has
 * such a title too.
 *
 * @param signs of the source's own pages, which are looked for first
 * @returns an error to be thrown, with the page's title or the words of its sign; undefined for any other page
 * @example
 * blockPage('<title>Just a moment...</title>')?.message // => 'Just a moment...'
 * blockPage('<title>Lamps</title><div id="px-captcha">')?.message // => 'a captcha page'
 * blockPage('<title>Lamps</title>') // => undefined
 */
export function blockPage(body: string, signs: PageSigns = []): SourceError | undefined {
  const own = signs.find(([sign]) => sign.test(body))
  if (own) return new (own[2] ?? Blocked)(own[1])
  const title = titleOf(body)
  if (title !== null && TITLE.test(title)) return new Blocked(title)
  return MARKS.some((mark) => mark.test(body)) ? new Blocked('a captcha page') : undefined
}
