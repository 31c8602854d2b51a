/**
 * What an answer means that is none: the site's errors as JSON, and the pages that it or a proxy puts in their place.
 *
 * @module
 */
import {
  at,
  BadInput,
  Blocked,
  blockPage,
  integerOrNull,
  LoginNeeded,
  NotFound,
  Private,
  RateLimited,
  Restricted,
  SourceChanged,
  type SourceError,
  textOrNull,
  Unavailable,
} from 'gleaner/plugin'

type Kind = new (message: string) => SourceError

/** By the `reason` of an error, in lower case. */
const REASONS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
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

/** Phrases of the pages that stand in place of an answer; the first that is found counts. */
const PAGES: readonly (readonly [phrase: RegExp, kind: Kind, words: string])[] = [
  [/<title>\s*Too Many Requests|seen too many requests from you/i, RateLimited, 'Too Many Requests'],
  [/blocked due to a network policy/i, Blocked, 'blocked due to a network policy'],
  [/blocked by network security/i, Blocked, 'blocked by network security'],
  [/Prove your humanity|class="g-recaptcha"/i, Blocked, 'Prove your humanity'],
  [/<title>[^<]*Please wait for verification/i, Blocked, 'Please wait for verification'],
  [/whoa there, pardner!/i, Blocked, 'whoa there, pardner!'],
]

/**
 * The error that a JSON answer is; undefined when it is none.
 *
 * @param status of the answer; where it is 200 the answer's own `reason` and `error` count, as proxies lose statuses
 */
export function errorOf(status: number, json: unknown): SourceError | undefined {
  const code = status === 200 ? integerOrNull(at(json, 'error')) : status
  const reason = textOrNull(at(json, 'reason'))
  const known = REASONS.get(reason?.toLowerCase() ?? '')
  if (known) return new known(wordsOf(reason, json))
  if (code === null || code === 200) return undefined
  return new (kindOf(code))(wordsOf(reason ?? String(code), json))
}

function wordsOf(reason: string | null, json: unknown): string {
  const more = at(json, 'explanation') ?? at(json, 'quarantine_message') ?? at(json, 'message')
  return [reason, textOrNull(more)].filter((words) => words !== null).join(': ')
}

function kindOf(code: number): Kind {
  if (code === 401) return LoginNeeded
  if (code === 403) return Private
  if (code === 404 || code === 410) return NotFound
  if (code === 429) return RateLimited
  return code >= 500 ? Unavailable : BadInput
}

/** The error of an answer that is a page, or other text, where JSON was asked for. */
export function pageErrorOf(status: number, text: string): SourceError {
  const known = PAGES.find(([phrase]) => phrase.test(text))
  if (known) return new known[1](known[2])
  const what = isPage(text) ? 'a page' : text.trim() === '' ? 'an empty answer' : 'other text'
  const words = `${what} instead of JSON, status ${status}`
  if (status === 401 || status === 403) return new Blocked(words)
  if (status === 404) return new NotFound(words)
  // The site itself says in JSON what it does not accept; this is a proxy on the way.
  if (status === 400) return new Unavailable(words)
  return blockPage(text) ?? new SourceChanged(words)
}

/** Whether a body is HTML, whatever its content type says. */
export const isPage = (text: string): boolean => /^\s*</.test(text)
