/**
 * Block and captcha pages, which a site or a service in front of it returns instead of the requested page.
 *
 * @module
 */
import { Blocked, type ErrorKind, type SourceError } from '../errors.ts'
import { textOf } from './text.ts'

/** Titles of such pages: Cloudflare, DataDome, HUMAN, Akamai, Imperva, CloudFront, AWS, and the sites' own. */
const TITLE =
  /denied|captcha|just a moment|attention required|could not be satisfied|pardon our interruption|request unsuccessful|security (?:check|verification)|checking your browser|are you (?:a )?human|human verification|verify(?:ing)? (?:that )?you are|robot|you have been blocked/i

/**
 * Markup that only captcha and challenge pages contain. Ordinary pages load scripts of the same vendors. The gaps have a
 * maximum length, because a page may repeat the start of a mark: the search would take quadratic time.
 */
const MARKS: readonly RegExp[] = [
  /(?:id|content)="px-captcha"/i,
  /class="(?:g-recaptcha|h-captcha|cf-turnstile)[" ]/i,
  /(?:src|href)="https?:\/\/[a-z0-9.-]*captcha-delivery\.com\/(?:captcha|interstitial)/i,
  /_Incapsula_Resource[^"']{0,500}incident_id/i,
  /\/cdn-cgi\/challenge-platform\/[^"']{0,100}orchestrate/i,
  /AwsWafIntegration\.(?:checkForceRefresh|forceRefreshToken)|awsWafCookieDomainList/,
]

/**
 * The title of a page, for error messages about unexpected pages.
 *
 * @returns null when the page has no title
 * @example
 * titleOf('<html><title>Lamps &amp; more</title>') // => 'Lamps & more'
 */
export const titleOf = (html: string): string | null => textOf(/<title[^<>]*>([^<]*)/i.exec(html)?.[1])

/**
 * Signs of the pages that a source shows instead of its content. Each entry is an expression that matches the body, the
 * message of the error, and optionally its class (default `Blocked`). The first entry that matches is used.
 *
 * @example
 * const signs: PageSigns = [[/Before you continue/, 'consent page'], [/Too many requests/, 'slow down', RateLimited]]
 * blockPage('<h1>Too many requests</h1>', signs)?.code // => 'source-rate-limited'
 */
export type PageSigns = readonly (readonly [sign: RegExp, words: string, kind?: ErrorKind])[]

/**
 * Recognizes a block or captcha page. Call this only when a body lacks its expected content: an ordinary page about
 * robots has such a title too.
 *
 * @param signs signs of the source's own block pages, which are checked first
 * @returns an error to throw, whose message is the page's title or the words of its sign; undefined for any other page
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
