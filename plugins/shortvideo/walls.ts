/**
 * What the site shows and answers instead of its content.
 *
 * @module
 */
import { at, Blocked, SourceChanged, textOrNull } from 'gleaner/plugin'

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
 * @throws {SourceChanged} for anything else that is no JSON object
 */
export function jsonOf(body: string): unknown {
  if (body.trim() === '') throw new Nothing()
  const json = parsed(body)
  if (textOrNull(at(json, 'type')) === 'verify')
    throw new Blocked(`verify: ${textOrNull(at(json, 'subtype')) ?? 'captcha'}`)
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json
  if (isCaptcha(body)) throw new Blocked('a captcha instead of the list')
  throw new SourceChanged('the list is no JSON')
}

/** JSON, also as a browser shows it when it is opened as a page; undefined for anything else. */
function parsed(body: string): unknown {
  const shown = /<pre[^>]*>([\s\S]*?)<\/pre>/.exec(body)?.[1] ?? body
  try {
    return JSON.parse(shown)
  } catch {
    return undefined
  }
}

export const isCaptcha = (html: string): boolean =>
  /captcha[-_]?verify|captcha_container|secsdk-captcha|tiktok-verify-page|verify-bar/i.test(html)

/** The page that asks a browser to prove itself by running a script, before the site shows anything. */
export const isScriptWall = (html: string): boolean =>
  /Please wait\.\.\./.test(html) && /id="?(?:cs|wci|rci)\b/.test(html)
