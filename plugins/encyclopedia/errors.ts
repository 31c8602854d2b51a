/**
 * Maps the errors of MediaWiki's API, which have status 200, to the errors of a run.
 *
 * @module
 */
import {
  at,
  BadInput,
  Blocked,
  type ErrorKind,
  type PageSigns,
  Private,
  RateLimited,
  SourceChanged,
  type SourceError,
  textOf,
  textOrNull,
  Unavailable,
} from 'gleaner/plugin'

/** Texts near the start of pages from proxies and firewalls. */
export const PAGES: PageSigns = [
  [/^[\s\S]{0,20000}(?:captcha|blocked|denied|forbidden|too many requests)/i, 'a page instead of JSON'],
]

/** The error class of each code. A code that ends in `*` is a prefix. Codes that are not listed concern the query. */
const KINDS: readonly (readonly [code: string, kind: ErrorKind])[] = [
  ['maxlag', RateLimited],
  ['ratelimited', RateLimited],
  ['cirrussearch-too-busy*', RateLimited],
  ['readonly', Unavailable],
  ['internal_api_error*', Unavailable],
  ['search-text-disabled', Unavailable],
  ['search-error', Unavailable],
  ['cirrussearch-backend-error', Unavailable],
  ['blocked', Blocked],
  ['autoblocked', Blocked],
  ['globalblocking*', Blocked],
  ['readapidenied', Private],
  ['permissiondenied', Private],
  // The wiki no longer has this API, or not in this format.
  ['unknown_action', SourceChanged],
  ['unknown_list', SourceChanged],
  ['unknown_format', SourceChanged],
  ['assert*', SourceChanged],
]

/** The error in a response: `error`, or in the newer format the first of `errors`. Undefined when there is none. */
export function errorOf(json: unknown): SourceError | undefined {
  const error = at(json, 'error') ?? at(json, 'errors', 0)
  const code = textOrNull(at(error, 'code'))
  if (code === null) return undefined
  const words = at(error, 'info') ?? at(error, 'text') ?? at(error, 'html') ?? at(error, '*')
  return new (kindOf(code))(`${code}: ${textOf(words) ?? 'no message'}`)
}

function kindOf(code: string): ErrorKind {
  const found = KINDS.find(([known]) =>
    known.endsWith('*') ? code.startsWith(known.slice(0, -1)) : code === known,
  )
  return found?.[1] ?? BadInput
}
