/**
 * Reads responses of the marketplace's API, and maps errors, captchas and other pages to the errors of a run.
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
  NotFound,
  Private,
  SourceChanged,
  type SourceError,
  statusError,
  textOrNull,
} from 'gleaner/plugin'

/** Statuses whose body states the reason. For all others, `fetch` throws or retries. */
export const ANSWERS: readonly number[] = [400, 401, 403, 404, 410, 422]

/** The API's own codes, which are the same in every language; 0 is success. */
const KINDS: Readonly<Record<number, ErrorKind>> = {
  21: LoginNeeded,
  100: Blocked,
  102: Blocked,
  104: NotFound,
  106: Private,
}

/** The code for a missing or expired session. */
const NO_SESSION = 100

/** A response as far as it could be read. */
export type Answer = {
  readonly status: number
  readonly body: string
  /** undefined when the body is not JSON */
  readonly json: unknown
}

/** @param body decoded */
export const answerOf = (status: number, body: string): Answer => ({
  status,
  body,
  json: jsonIn(body, { exact: true }),
})

/** Whether the response asks for a new session. */
export const wantsSession = ({ status, json }: Answer): boolean =>
  codeOf(json) === NO_SESSION || (status === 401 && codeOf(json) === null)

/**
 * The JSON of a successful response. Older responses have `code: 0`, newer ones have no code.
 *
 * @throws {SourceError} for any other response
 */
export function goodJson({ status, body, json }: Answer): unknown {
  if (isCaptcha(json)) throw new Blocked('a captcha (DataDome)')
  if (isPage(body)) throw pageFailure(status, body)
  const code = codeOf(json)
  if (code !== null && code !== 0) {
    const words = wordsOf(code, json)
    throw KINDS[code]
      ? new KINDS[code](words)
      : status < 400
        ? new SourceChanged(words)
        : statusError(status, words)
  }
  if (status >= 400) throw statusError(status)
  if (json === undefined)
    throw new SourceChanged(`the response is not JSON: ${body === '' ? 'empty' : 'other text'}`)
  return json
}

/**
 * The error for a page instead of JSON, which is never an empty list. Any page may contain scripts of block vendors.
 */
export function pageFailure(status: number, body: string): SourceError {
  const words = `${status}: ${pageKind(body)}`
  return status < 400 ? new Blocked(words) : statusError(status, words)
}

function pageKind(body: string): string {
  if (/captcha-delivery\.com|datadome/i.test(body)) return 'a captcha page (DataDome)'
  if (/cloudflare|__cf_|cf-chl|challenge-platform/i.test(body)) return 'a challenge page (Cloudflare)'
  return 'an unexpected page'
}

/** Whether the JSON is DataDome's block for scripts: the URL of a captcha, and nothing else. */
const isCaptcha = (json: unknown): boolean =>
  /^https:\/\/(?:[a-z0-9-]+\.)*captcha-delivery\.com\//.test(textOrNull(at(json, 'url')) ?? '')

const codeOf = (json: unknown): number | null => integerOrNull(at(json, 'code'))

function wordsOf(code: number, json: unknown): string {
  const slug = textOrNull(at(json, 'message_code'))
  const said = textOrNull(at(json, 'message'))
  return [`code ${code}`, slug && ` (${slug})`, said && `: ${said}`].filter(Boolean).join('')
}
