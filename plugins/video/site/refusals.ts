/**
 * The source's refusals: errors of its API, alerts on its pages, and pages instead of the requested content.
 *
 * @module
 */
import {
  at,
  Blocked,
  type ErrorKind,
  entriesAt,
  NotFound,
  type PageSigns,
  RateLimited,
  SourceChanged,
  type SourceError,
  statusError,
  textOrNull,
} from 'gleaner/plugin'
import { wrappedText } from '../texts.ts'

/** The API refuses good requests too as invalid, so its refusals are not about the input. */
export class Refused extends SourceChanged {}

const KINDS: ReadonlyMap<string | null, ErrorKind> = new Map<string, ErrorKind>([
  ['NOT_FOUND', NotFound],
  ['INVALID_ARGUMENT', Refused],
  ['PERMISSION_DENIED', Blocked],
  ['FAILED_PRECONDITION', Blocked],
  ['UNAUTHENTICATED', Blocked],
  ['RESOURCE_EXHAUSTED', RateLimited],
])

/** Statuses of an address of the plugin's own that would otherwise blame the input. */
export const OWN_ADDRESS: Readonly<Record<number, ErrorKind>> = Object.fromEntries(
  [400, 404, 410, 413, 414, 422].map((status) => [status, SourceChanged]),
)

/**
 * The error in a response of the API, `{error: {status, message}}`; undefined when there is none.
 *
 * @param status the status of the response, for an error that names none
 */
export function errorOf(json: unknown, status: number): SourceError | undefined {
  const error = at(json, 'error')
  if (status < 400 && error === undefined) return undefined
  const code = textOrNull(at(error, 'status'))
  const words = `${code ?? status}: ${textOrNull(at(error, 'message')) ?? 'no message'}`
  const kind = KINDS.get(code) ?? (status < 400 ? Blocked : undefined)
  return kind ? new kind(words) : statusError(status, words, OWN_ADDRESS)
}

/** The error in an alert of a page without content, such as "This channel does not exist."; undefined without one. */
export function alertOf(page: unknown): NotFound | undefined {
  const alerts = entriesAt(page, 'alerts').map(
    (alert) => at(alert, 'alertRenderer') ?? at(alert, 'alertWithButtonRenderer'),
  )
  const error = alerts.find((alert) => at(alert, 'type') === 'ERROR')
  return error === undefined ? undefined : new NotFound(wrappedText(at(error, 'text')) ?? 'no message')
}

/** Pages that are sent instead of the requested content. */
export const PAGES: PageSigns = [
  [/action="https:\/\/consent\.|Before you continue to YouTube/i, 'consent page'],
  [/g-recaptcha|captcha-form|unusual traffic/i, 'captcha page'],
]
