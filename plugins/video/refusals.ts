/**
 * How the source says no: errors of its API, alerts on its pages, and pages that stand in for what was asked for.
 *
 * @module
 */
import {
  at,
  BadInput,
  Blocked,
  blockPage,
  entriesAt,
  LoginNeeded,
  NotFound,
  RateLimited,
  SourceChanged,
  type SourceError,
  textOrNull,
  Unavailable,
} from 'gleaner/plugin'
import { wrappedText } from './texts.ts'

type Kind = new (message: string) => SourceError

const KINDS: ReadonlyMap<string | null, Kind> = new Map<string, Kind>([
  ['NOT_FOUND', NotFound],
  ['INVALID_ARGUMENT', BadInput],
  ['PERMISSION_DENIED', Blocked],
  ['FAILED_PRECONDITION', Blocked],
  ['UNAUTHENTICATED', LoginNeeded],
  ['RESOURCE_EXHAUSTED', RateLimited],
  ['INTERNAL', Unavailable],
  ['UNAVAILABLE', Unavailable],
])

/**
 * The error in an answer of the API, `{error: {status, message}}`; undefined when there is none.
 *
 * @param status of the answer, for an error that names none
 */
export function errorOf(json: unknown, status: number): SourceError | undefined {
  const error = at(json, 'error')
  if (status < 400 && error === undefined) return undefined
  const code = textOrNull(at(error, 'status'))
  const kind = KINDS.get(code) ?? (status === 404 ? NotFound : status === 400 ? BadInput : Blocked)
  return new kind(`${code ?? status}: ${textOrNull(at(error, 'message')) ?? 'without words'}`)
}

/** The error that a page without content tells in an alert, such as "This channel does not exist."; undefined: none. */
export function alertOf(page: unknown): NotFound | undefined {
  const alerts = at(page, 'alerts')
  for (const alert of entriesAt(alerts)) {
    const renderer = at(alert, 'alertRenderer')
    if (at(renderer, 'type') === 'ERROR')
      return new NotFound(wrappedText(at(renderer, 'text')) ?? 'without words')
  }
  return undefined
}

/** What an answer is that should be JSON, or a page with JSON, and is not. */
export function strangeOf(body: string): SourceError {
  if (/action="https:\/\/consent\.|Before you continue to YouTube/i.test(body))
    return new Blocked('consent page')
  if (/g-recaptcha|captcha-form|unusual traffic/i.test(body)) return new Blocked('captcha page')
  const block = blockPage(body)
  if (block) return block
  return new SourceChanged(body.trim() === '' ? 'the answer is empty' : 'the answer is no JSON')
}
