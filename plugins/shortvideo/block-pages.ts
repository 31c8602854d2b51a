/**
 * What the site shows and answers instead of its content.
 *
 * @module
 */
import {
  at,
  Blocked,
  type BrowserPage,
  jsonIn,
  SourceChanged,
  type SourceError,
  textOrNull,
} from 'gleaner/plugin'

/** The site took the browser for a bot: it answers nothing at all. A fresh context may be let in. */
export class Nothing extends Blocked {
  constructor() {
    super('an empty answer')
  }
}

/**
 * The JSON of a list that the page was answered.
 *
 * @throws {Nothing} for no content at all
 * @throws {Blocked} where a captcha is asked for instead
 * @throws {SourceChanged} for anything else that is not JSON object
 */
export function jsonOf(body: string): unknown {
  if (body.trim() === '') throw new Nothing()
  const json = parsed(body)
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
  if (isObject && at(json, 'type') !== 'verify') return json
  throw captchaIn(body) ?? new SourceChanged('the list is not JSON')
}

/** JSON, also as a browser shows it when it is opened as a page; undefined for anything else. */
const parsed = (body: string): unknown => jsonIn(/<pre[^>]*>([\s\S]*?)<\/pre>/.exec(body)?.[1] ?? body)

const CAPTCHA = /captcha[-_]?verify|captcha_container|secsdk-captcha|tiktok-verify-page|verify-bar/i

/** The captcha that a page or an answer asks for in place of its content; undefined when it asks for none. */
export function captchaIn(body: string): Blocked | undefined {
  const json = parsed(body)
  if (at(json, 'type') === 'verify')
    return new Blocked(`verify: ${textOrNull(at(json, 'subtype')) ?? 'captcha'}`)
  return CAPTCHA.test(body) ? new Blocked('a captcha instead of the content') : undefined
}

const SHOWN_CAPTCHA = `Boolean(document.querySelector('[class*="captcha" i]:not(script), [id*="captcha" i]:not(script), iframe[src*="captcha"]'))`

/** Why something is missing in a page that has its state: a captcha may stand before it. @param words without one */
export async function missingIn(page: BrowserPage, words: string): Promise<SourceError> {
  const isBlocked = (await page.evaluate(SHOWN_CAPTCHA)) === true
  return isBlocked ? new Blocked('a captcha over the page') : new SourceChanged(words)
}

/** The page that asks a browser to prove itself by running a script, before the site shows anything. */
export const isScriptPage = (html: string): boolean =>
  /Please wait\.\.\./.test(html) && /id="?(?:cs|wci|rci)\b/.test(html)

/**
 * Asks for an address in a page, where the site's script signs the request like the page's own.
 *
 * @returns the body, perhaps empty; null when it was refused or did not come
 */
export async function askIn(page: BrowserPage, url: URL): Promise<string | null> {
  const address = JSON.stringify(url.href)
  const ask = `fetch(${address}, { credentials: 'include' }).then((reply) => reply.ok ? reply.text() : null).catch(() => null)`
  const body = await page.evaluate(ask)
  return typeof body === 'string' ? body : null
}
