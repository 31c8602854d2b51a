/**
 * Maps failures to errors: the site's JSON errors, and pages that the site or a proxy sends instead of JSON.
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
  [/Prove your humanity|class="g-recaptcha"/i, 'Prove your humanity'],
  [/<title>[^<]*Please wait for verification/i, 'Please wait for verification'],
  [/whoa there, pardner!/i, 'whoa there, pardner!'],
]

/**
 * The error in a JSON response; undefined when the response is not an error.
 *
 * @param status the response's status. If it is 200, the response's `reason` and `error` are used, because proxies may
 *   lose the status
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

/** The error for a response that is a page or other text instead of JSON. */
export function pageErrorOf(status: number, text: string): SourceError {
  const known = PAGES.some(([sign]) => sign.test(text)) && blockPage(text, PAGES)
  if (known) return known
  const what = isPage(text) ? 'a page' : text.trim() === '' ? 'an empty response' : 'other text'
  const words = `${what} instead of JSON, status ${status}`
  if (status === 401 || status === 403) return new Blocked(words)
  if (status === 404) return new NotFound(words)
  // The site reports bad requests in JSON, so this response is from a proxy.
  if (status === 400) return new Unavailable(words)
  return blockPage(text) ?? new SourceChanged(words)
}
