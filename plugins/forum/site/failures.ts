/**
 * Maps failures to errors: the site's JSON errors, and pages that the site or a proxy sends instead of a response.
 *
 * @module
 */
import {
  at,
  BadInput,
  Blocked,
  blockPage,
  type ErrorKind,
  integerOrNull,
  isPage,
  jsonIn,
  LoginNeeded,
  NotFound,
  type PageSigns,
  Private,
  RateLimited,
  Restricted,
  SourceChanged,
  type SourceError,
  statusError,
  textOrNull,
  Unavailable,
} from 'gleaner/plugin'

/** Keyed by the `reason` of an error, in lower case. */
const REASONS: ReadonlyMap<string, ErrorKind> = new Map<string, ErrorKind>([
  ['quarantined', Restricted],
  ['gated', Restricted],
  ['private', Private],
  ['gold_only', Private],
  ['may_not_view', Private],
  ['banned', NotFound],
  ['page_not_found', NotFound],
  ['wiki_disabled', NotFound],
  ['user_doesnt_exist', NotFound],
  ['subreddit_noexist', NotFound],
  ['invalid_page_name', BadInput],
])

/** Pages that are sent instead of a response. */
const PAGES: PageSigns = [
  [/<title>\s*Too Many Requests|seen too many requests from you/i, 'Too Many Requests', RateLimited],
  [/blocked due to a network policy/i, 'blocked due to a network policy'],
  [/blocked by network security/i, 'blocked by network security'],
  [/Prove your humanity|class="g-recaptcha"|<reputation-recaptcha/i, 'Prove your humanity'],
  [/<title>[^<]*Please wait for verification|name="js_challenge"/i, 'Please wait for verification'],
  [/whoa there, pardner!/i, 'whoa there, pardner!'],
]

/** The words of a part that refuses the community or user asked for. */
const FORBIDDEN: readonly (readonly [sign: RegExp, kind: ErrorKind])[] = [
  [/private community|is private/i, Private],
  [/quarantined?/i, Restricted],
  [/nobody on reddit goes by that name|suspended|banned|community not found/i, NotFound],
  [/aren.t any communities/i, NotFound],
]

/** Statuses of an address that does not exist. They say nothing about the community or user asked for. */
const GONE: readonly number[] = [400, 404, 410]

/**
 * The error in a JSON response; undefined when the response is not an error.
 *
 * @param status the response's status. If it is 200, the response's `reason` and `error` are used, because proxies may
 *   lose the status
 */
export function errorOf(status: number, json: unknown): SourceError | undefined {
  const code = status === 200 ? integerOrNull(at(json, 'error')) : status
  const reason = textOrNull(at(json, 'reason'))
  const ErrorClass = REASONS.get(reason?.toLowerCase() ?? '')
  if (ErrorClass) return new ErrorClass(wordsOf(reason, json))
  if (code === null || code === 200) return undefined
  return statusError(code, wordsOf(reason ?? String(code), json), { 401: LoginNeeded, 403: Private })
}

function wordsOf(reason: string | null, json: unknown): string {
  const more = at(json, 'explanation') ?? at(json, 'quarantine_message') ?? at(json, 'message')
  return [reason, textOrNull(more)].filter((words) => words !== null).join(': ')
}

/** The error for one of the site's own block pages; undefined for any other text. */
export const blockIn = (text: string): SourceError | undefined =>
  PAGES.some(([sign]) => sign.test(text)) ? blockPage(text, PAGES) : undefined

/** The error for a page or other text instead of JSON. */
export function pageErrorOf(status: number, text: string): SourceError {
  const block = blockIn(text) ?? blockPage(text)
  if (block) return block
  const what = isPage(text) ? 'a page' : text.trim() === '' ? 'an empty response' : 'other text'
  const words = `${what} instead of JSON, status ${status}`
  if (status === 401 || status === 403) return new Blocked(words)
  // The site reports bad requests in JSON, so this response is from a proxy.
  return status === 400 ? new Unavailable(words) : new SourceChanged(words)
}

/** The error for a part without its elements. @param title of the page that refuses a community or user */
export function partErrorOf(status: number, text: string, title: string | null): SourceError {
  if (title !== null) return forbiddenOf(title)
  if (text.includes('xpromo-nsfw-blocking-')) return new Restricted('xpromo-nsfw-blocking')
  const json = isPage(text) ? undefined : jsonIn(text)
  const hasReason = REASONS.has(textOrNull(at(json, 'reason'))?.toLowerCase() ?? '')
  const error = json !== undefined && (hasReason || !GONE.includes(status)) && errorOf(status, json)
  if (error) return error
  const words = `a part without its elements, status ${status}`
  return blockIn(text) ?? blockPage(text) ?? new (status === 403 ? Blocked : SourceChanged)(words)
}

/** Known words are quoted alone, because the rest of the title may repeat the name that the client sent. */
function forbiddenOf(title: string): SourceError {
  for (const [sign, kind] of FORBIDDEN) {
    const [words] = sign.exec(title) ?? []
    if (words !== undefined) return new kind(words)
  }
  return new SourceChanged(title)
}
