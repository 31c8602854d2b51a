/**
 * Requests hits from the API of a wiki, and asks again while the wiki is busy.
 *
 * @module
 */
import {
  Blocked,
  type Context,
  isPage,
  numberOrNull,
  type PageSigns,
  parseJson,
  type Reply,
  SourceChanged,
  type SourceError,
  textOf,
  titleOf,
} from 'gleaner/plugin'
import { type Answer, answerOf } from './answer.ts'
import { errorOf } from './errors.ts'

/** A query whose URL-encoded form is longer than this is sent as a form. */
const LONGEST_IN_URL = 1500
/** The waits before the second and the third attempt at a busy wiki, unless it names a time itself. */
const WAITS_MS = [5_000, 10_000]
/** A run does not wait longer at once: then the wiki's own error says when to come back. */
const LONGEST_WAIT_MS = 60_000

/** Texts near the start of pages from proxies and firewalls. */
const PAGES: PageSigns = [
  [/^[\s\S]{0,20000}(?:captcha|blocked|denied|forbidden|too many requests)/i, 'a page instead of JSON'],
]

/** What to ask. */
export type Question = {
  readonly query: string
  readonly offset: number
  /** the most hits that the response may have */
  readonly size: number
  /** the wiki's URL pattern of pages; undefined: the response shall state it */
  readonly site: string | undefined
}

/**
 * Requests hits. A wiki that is busy, or whose search stopped before its end, is asked three times.
 *
 * @throws {SourceError} for an error of the wiki, and for anything that is not a response to a search
 */
export async function ask(context: Context, question: Question): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    const reply = await request(context, question)
    const body = await reply.text()
    if (reply.status === 403) throw new Blocked(wordsOf(body))
    const json = parseJson(body, { blocked: PAGES })
    const error = errorOf(json)
    if (!error) return answerOf(json, question.site ?? `${context.origin}/wiki/$1`)
    const ms = passes(error) ? waitOf(reply, attempt) : undefined
    if (ms === undefined || ms > LONGEST_WAIT_MS || !(await context.pause(ms))) throw error
  }
}

function request(context: Context, { query, offset, size, site }: Question): Promise<Reply> {
  const parameters = {
    action: 'query',
    list: 'search',
    ...(site === undefined ? { meta: 'siteinfo', siprop: 'general' } : {}),
    srsearch: query,
    // Without this, the core search engine searches titles only.
    srwhat: 'text',
    srlimit: String(size),
    sroffset: String(offset),
    srnamespace: '0',
    srinfo: 'totalhits|suggestion',
    srprop: 'size|wordcount|timestamp|snippet',
    format: 'json',
    formatversion: '2',
    // Otherwise warnings have no code.
    errorformat: 'plaintext',
    errorlang: 'en',
    utf8: '1',
  }
  const options = { accept: [403], errors: { 404: SourceChanged, 410: SourceChanged } }
  if (encodeURIComponent(query).length <= LONGEST_IN_URL)
    return context.fetch('/w/api.php', { ...options, query: parameters })
  return context.fetch('/w/api.php', {
    ...options,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(parameters).toString(),
  })
}

/** The reason of a refusal: Wikimedia's is a sentence, a firewall's the title of a page. */
const wordsOf = (body: string): string =>
  (isPage(body) ? titleOf(body) : textOf(body)) ?? 'the source responded with 403'

/** Whether the same request may be answered soon. */
const passes = ({ code }: SourceError): boolean =>
  code === 'source-rate-limited' || code === 'source-unavailable'

/** How long to wait for the next attempt; undefined after the last one. */
function waitOf({ headers }: Reply, attempt: number): number | undefined {
  const seconds = numberOrNull(headers.get('retry-after'))
  const own = WAITS_MS[attempt]
  return own === undefined || seconds === null ? own : seconds * 1000
}
