/**
 * Maps the errors and warnings of MediaWiki's API, which have status 200, to the errors of a run.
 *
 * @module
 */
import {
  at,
  BadInput,
  Blocked,
  type ErrorKind,
  Private,
  RateLimited,
  SourceChanged,
  type SourceError,
  textOf,
  textOrNull,
  Unavailable,
} from 'gleaner/plugin'

/** The error class of each code. A code that ends in `*` is a prefix. Other codes say that the API has changed. */
const KINDS: readonly (readonly [code: string, kind: ErrorKind])[] = [
  ['maxlag', RateLimited],
  ['ratelimited', RateLimited],
  ['cirrussearch-too-busy*', RateLimited],
  // Few searches by regular expression run at once, for all clients together.
  ['cirrussearch-regex-too-busy*', RateLimited],
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
  ['missingparam', BadInput],
  ['badvalue', BadInput],
  ['badinteger', BadInput],
  ['cirrussearch-query-too-long*', BadInput],
  ['cirrussearch-offset-too-large', BadInput],
  ['cirrussearch-parse-error', BadInput],
  ['cirrussearch-regex-syntax-error', BadInput],
  ['cirrussearch-regex-too-complex-error', BadInput],
]

/**
 * The error of a response: of the API, or a warning that the search stopped before its end, whose hits are not what the
 * wiki has. Undefined when the response is whole.
 */
export function errorOf(json: unknown): SourceError | undefined {
  const error = at(json, 'error') ?? at(json, 'errors', 0)
  const code = textOrNull(at(error, 'code'))
  if (code !== null) return new (kindOf(code))(`${code}: ${wordsOf(error) ?? 'no message'}`)
  const late = warningsOf(json).find((words) => TIMED_OUT.test(words))
  return late === undefined ? undefined : new Unavailable(late)
}

function kindOf(code: string): ErrorKind {
  const kind = KINDS.find(([known]) =>
    known.endsWith('*') ? code.startsWith(known.slice(0, -1)) : code === known,
  )
  return kind?.[1] ?? SourceChanged
}

const TIMED_OUT = /timed[ -]out/i

const wordsOf = (fault: unknown): string | null =>
  textOf(at(fault, 'info') ?? at(fault, 'text') ?? at(fault, 'warnings') ?? at(fault, '*'))

/** The warnings with their codes. They are a list, or listed by module on wikis that know no `errorformat`. */
const warningsOf = (json: unknown): readonly string[] =>
  Object.values(at(json, 'warnings') ?? {}).map((warning) =>
    [textOrNull(at(warning, 'code')), wordsOf(warning)].filter((part) => part !== null).join(': '),
  )
