/**
 * Failures: the site's errors as JSON, and the pages that the site or a proxy sends instead.
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

/** By the `reason` of an error, in lower case. */
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

/** Pages that stand in place of an answer. */
const PAGES: PageSigns = [
  [/<title>\s*Too Many Requests|seen too many requests from you/i, 'Too Many Requests', RateLimited],
  [/blocked due to a network policy/i, 'blocked due to a network policy'],
  [/blocked by network security/i, 'blocked by network security'],
  [/Prove your humanity|class="g-recaptcha"/i, 'Prove your humanity'],
  [/<title>[^<]*Please wait for verification/i, 'Please wait for verification'],
  [/whoa there, pardner!/i, 'whoa there, pardner!'],
]

/**
 * The error in a JSON answer; undefined when the answer is not an error.
 *
 * @param status of the answer; where it is 200 the answer's own `reason` and `error` count, as proxies lose statuses
 */
export function errorOf(status: number, json: unknown): SourceError | undefined {
  const code = status === 200 ? integerOrNull(at(json, 'error')) : status
  const reason = textOrNull(at(json, 'reason'))
  const known = REASONS.get(reason?.toLowerCase() ?? '')
  if (known) return new known(wordsOf(reason, json))
  if (code === null || code === 200) return undefined
  return statusError(code, wordsOf(reason ?? String(code), json), { 401: LoginNeeded, 403: Private })
}

function wordsOf(reason: string | null, json: unknown): string {
  const more = at(json, 'explanation') ?? at(json, 'quarantine_message') ?? at(json, 'message')
  return [reason, textOrNull(more)].filter((words) => words !== null).join(': ')
}

/** The error of an answer that is a page, or other text, where JSON was asked for. */
export function pageErrorOf(status: number, text: string): SourceError {
  const known = PAGES.some(([sign]) => sign.test(text)) && blockPage(text, PAGES)
  if (known) return known
  const what = isPage(text) ? 'a page' : text.trim() === '' ? 'an empty answer' : 'other text'
  const words = `${what} instead of JSON, status ${status}`
  if (status === 401 || status === 403) return new Blocked(words)
  if (status === 404) return new NotFound(words)
  // The site itself says in JSON what it does not accept; this is a proxy on the way.
  if (status === 400) return new Unavailable(words)
  return blockPage(text) ?? new SourceChanged(words)
}
