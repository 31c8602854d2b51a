/**
 * Recognizes the responses and pages that the site sends instead of its content.
 *
 * @module
 */
import {
  at,
  Blocked,
  type BrowserPage,
  jsonIn,
  LoginNeeded,
  SourceChanged,
  type SourceError,
  statusError,
  textOrNull,
} from 'gleaner/plugin'
import { SIGN_IN } from './site.ts'

/** An empty response: the site took the browser for a bot. A fresh context may succeed. */
export class Nothing extends Blocked {
  constructor() {
    super('an empty response')
  }
}

/**
 * The JSON of a response with a list.
 *
 * @throws {Nothing} for an empty response
 * @throws {Blocked} for a captcha
 * @throws {SourceChanged} for anything else that is not a JSON object
 */
export function jsonOf(body: string): unknown {
  if (body.trim() === '') throw new Nothing()
  const json = parsed(body)
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
  if (isObject && at(json, 'type') !== 'verify') return json
  throw captchaIn(body) ?? new SourceChanged('the list is not JSON')
}

/** Parses JSON, also in the form in which a browser shows it as a page; undefined for anything else. */
const parsed = (body: string): unknown =>
  jsonIn(/<pre[^>]*>([\s\S]*?)<\/pre>/.exec(body)?.[1] ?? body, { exact: true })

const CAPTCHA = /captcha[-_]?verify|captcha_container|secsdk-captcha|tiktok-verify-page|verify-bar/i

/** The error for a page or response that asks for a captcha; undefined for any other body. */
export function captchaIn(body: string): Blocked | undefined {
  const json = parsed(body)
  if (at(json, 'type') === 'verify')
    return new Blocked(`verify: ${textOrNull(at(json, 'subtype')) ?? 'captcha'}`)
  return CAPTCHA.test(body) ? new Blocked('a captcha instead of the content') : undefined
}

const SHOWN_CAPTCHA = `Boolean(document.querySelector('[class*="captcha" i]:not(script), [id*="captcha" i]:not(script), iframe[src*="captcha"]'))`

/**
 * The error for a page whose content is missing, possibly because of a captcha. @param words message without a
 * captcha
 */
export async function missingIn(page: BrowserPage, words: string): Promise<SourceError> {
  const isBlocked = (await page.evaluate(SHOWN_CAPTCHA)) === true
  return isBlocked ? new Blocked('a captcha over the page') : new SourceChanged(words)
}

/** Whether a page is the script challenge that the site shows before any content. */
export const isScriptPage = (html: string): boolean =>
  /Please wait\.\.\./.test(html) && /id="?(?:cs|wci|rci)\b/.test(html)

/** Statuses of the site's lists that say nothing about a video or hashtag: the list is gone or takes other queries. */
const CHANGED = { 400: SourceChanged, 404: SourceChanged, 410: SourceChanged }

/**
 * Makes a request from inside a page, where the site's script signs it like the page's own requests.
 *
 * @returns the body, which may be empty; null when there was no response
 * @throws {SourceError} for a status that is not a success, and for a redirect to the sign-in page
 */
export async function askIn(page: BrowserPage, url: URL): Promise<string | null> {
  const address = JSON.stringify(url.href)
  const ask = `fetch(${address}, { credentials: 'include' }).then((reply) => ${SIGN_IN}.test(reply.url) ? 0 : reply.ok ? reply.text() : reply.status).catch(() => null)`
  const answer = await page.evaluate(ask)
  if (answer === 0) throw new LoginNeeded('redirected to the sign-in page')
  if (typeof answer === 'number') throw statusError(answer, undefined, CHANGED)
  return typeof answer === 'string' ? answer : null
}
