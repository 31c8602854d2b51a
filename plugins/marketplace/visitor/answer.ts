/**
 * Reads responses of the marketplace: the JSON of its service, and the errors of a run that refusals mean.
 *
 * @module
 */
import {
  at,
  Blocked,
  type ErrorKind,
  integerOrNull,
  isPage,
  jsonIn,
  LoginNeeded,
  type Reply,
  SourceChanged,
  type SourceError,
  textOrNull,
} from 'gleaner/plugin'

/** Statuses whose body or headers state the reason. For all others, `fetch` throws or retries. */
export const ANSWERS: readonly number[] = [400, 401, 403, 404, 405, 406, 410, 418, 422, 451]

/**
 * Errors by the site's own codes, which are the same in every language, and by status. The site's addresses are built
 * here and inputs are checked before, so a refusal of an address is never the client's fault.
 */
export type Kinds = Readonly<Record<number, ErrorKind>>
const KINDS: Kinds = {
  21: LoginNeeded,
  100: Blocked,
  102: Blocked,
  106: Blocked,
  401: Blocked,
  403: Blocked,
  405: Blocked,
  406: Blocked,
  418: Blocked,
  451: Blocked,
}

/** The code for a missing or expired session. */
const NO_SESSION = 100

/** Marks of pages that take the place of a response. Titles are whole, since those of ordinary pages name the query. */
const BLOCKS: readonly (readonly [RegExp, string])[] = [
  [/captcha-delivery\.com/i, 'a captcha page (DataDome)'],
  [/<title>\s*just a moment\.\.\.\s*</i, 'a challenge page (Cloudflare)'],
  [/<title>\s*client challenge\s*</i, 'a challenge page'],
]

/** A response as far as it could be read. */
export type Answer = {
  readonly status: number
  readonly body: string
  /** undefined when the body is not JSON */
  readonly json: unknown
  /** what blocks the visitor, in words; undefined when nothing does */
  readonly block: string | undefined
}

/** Reads the response of the service, which is JSON unless it is refused. */
export async function answerOf(reply: Reply): Promise<Answer> {
  const body = await reply.text()
  const json = isPage(body) ? undefined : jsonIn(body, { exact: true })
  return { status: reply.status, body, json, block: blockOf(reply, body, json) }
}

/** Whether the response asks for a new session. A challenge does not: a new session would meet it too. */
export const wantsSession = ({ status, body, json, block }: Answer): boolean =>
  block === undefined &&
  (at(json, 'code') === NO_SESSION ||
    ((status === 401 || status === 403) && !isPage(body) && integerOrNull(at(json, 'code')) === null))

/**
 * The JSON of a successful response. Older responses have `code: 0`, newer ones have no code.
 *
 * @param kinds codes and statuses that have another meaning at this address
 * @throws {SourceError} for any other response
 */
export function goodJson({ status, body, json, block }: Answer, kinds: Kinds = {}): unknown {
  if (block !== undefined) throw new Blocked(`${status}: ${block}`)
  const code = codeOf(json)
  if (status < 400 && json !== undefined && (code === null || code === 0)) return json
  if (code !== null && code !== 0) throw refusal(code, status, wordsOf(code, json), kinds)
  if (status >= 400) throw refusal(code, status, `the source responded with ${status}`, kinds)
  // A page in place of JSON is never an empty list.
  if (isPage(body)) throw new Blocked(`${status}: an unexpected page`)
  throw new SourceChanged(`the response is not JSON: ${body === '' ? 'empty' : 'other text'}`)
}

/**
 * The HTML of a page. Whether it has the expected content is for the caller to tell, with {@link blockOf}.
 *
 * @throws {SourceError} for a refusal
 */
export async function goodPage(reply: Reply): Promise<string> {
  const { status } = reply
  const body = await reply.text()
  const block = status < 400 ? undefined : blockOf(reply, body)
  if (block !== undefined) throw new Blocked(`${status}: ${block}`)
  if (status >= 400) throw refusal(null, status, `the source responded with ${status}`, {})
  return body
}

/**
 * What blocks the visitor, in words: a captcha or a challenge. Call this for a page only when it lacks its expected
 * content, since any page may contain scripts of block vendors.
 *
 * @returns undefined when there are no such marks
 */
export function blockOf(
  { headers }: Pick<Reply, 'headers'>,
  body: string,
  json?: unknown,
): string | undefined {
  if (headers.has('cf-mitigated')) return 'a challenge page (Cloudflare)'
  if (isPage(body)) return BLOCKS.find(([mark]) => mark.test(body))?.[1]
  // The block for scripts is the URL of a captcha, and nothing else.
  const url = textOrNull(at(json, 'url')) ?? ''
  return /^https:\/\/(?:[a-z0-9-]+\.)*captcha-delivery\.com\//.test(url) ? 'a captcha (DataDome)' : undefined
}

function refusal(code: number | string | null, status: number, words: string, kinds: Kinds): SourceError {
  const all = { ...KINDS, ...kinds }
  const kind = (typeof code === 'number' ? all[code] : undefined) ?? all[status] ?? SourceChanged
  return new kind(words)
}

/** The code of a refusal: a number of the older API, or a word of the gateway. */
const codeOf = (json: unknown): number | string | null =>
  integerOrNull(at(json, 'code')) ?? textOrNull(at(json, 'code'))

function wordsOf(code: number | string, json: unknown): string {
  const slug = textOrNull(at(json, 'message_code'))
  const message = textOrNull(at(json, 'message'))
  return [`code ${code}`, slug && ` (${slug})`, message && `: ${message}`].filter(Boolean).join('')
}
