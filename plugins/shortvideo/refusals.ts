/**
 * Recognizes the responses and pages that the site sends instead of its content.
 *
 * @module
 */
import {
  at,
  Blocked,
  blockPage,
  jsonIn,
  type PageSigns,
  SourceChanged,
  type SourceError,
  textOrNull,
  Unavailable,
} from 'gleaner/plugin'

/** An empty response: the site took the visitor for a bot. A fresh browser context may succeed. */
export class Nothing extends Blocked {
  constructor() {
    super('an empty response')
  }
}

/** Statuses of the site's own routes that say nothing about the post or hashtag: the route has changed. */
export const GONE = {
  400: SourceChanged,
  404: SourceChanged,
  410: SourceChanged,
  413: SourceChanged,
  414: SourceChanged,
  422: SourceChanged,
}

/**
 * The JSON of a response with a list.
 *
 * @throws {Nothing} for an empty response
 * @throws {Blocked} for a captcha or another block page
 * @throws {SourceChanged} for anything else that is not a JSON object
 */
export function jsonOf(body: string): unknown {
  if (body.trim() === '') throw new Nothing()
  const json = parse(body)
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
  if (isObject && at(json, 'type') !== 'verify') return json
  throw refusalIn(body) ?? new SourceChanged('the response is not a JSON object')
}

/** Parses JSON, also in the form in which a browser shows it as a page; undefined for anything else. */
const parse = (body: string): unknown =>
  jsonIn(/<pre[^>]*>([\s\S]*?)<\/pre>/.exec(body)?.[1] ?? body, { exact: true })

const CAPTCHA = 'a captcha instead of the content'
const SIGNS: PageSigns = [
  [/captcha[-_]?verify|captcha_container|secsdk-captcha|tiktok-verify-page|verify-bar/i, CAPTCHA],
  [
    /Verify to continue:|Drag the slider to fit the puzzle|Rotate the shapes|Click on the shapes with the same size/,
    CAPTCHA,
  ],
  [/Access Denied|request blocked/i, 'access denied'],
  [/<title>[^<]*(?:502|503|504|maintenance)/i, 'an error page of the server', Unavailable],
]

/** The error for a response or page that the site sends instead of its content; undefined for any other body. */
export function refusalIn(body: string): SourceError | undefined {
  const json = parse(body)
  if (at(json, 'type') === 'verify')
    return new Blocked(`verify: ${textOrNull(at(json, 'subtype')) ?? 'captcha'}`)
  return isChallenge(body) ? new Blocked('a script challenge') : blockPage(body, SIGNS)
}

/** Whether a page is the script challenge of the site. Its words may be missing, so only its ids count. */
export const isChallenge = (html: string): boolean =>
  /\bid="?wci\b/.test(html) && /\bid="?(?:cs|rci)\b/.test(html)
