/**
 * Answers of the marketplace's API: its JSON, or what an error, a captcha or another page in its place means for a run.
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

/** Statuses whose body gives the reason. `fetch` throws for the others, or tries again. */
export const ANSWERS: readonly number[] = [400, 401, 403, 404, 410, 422]

/** The API's own codes, the same in every language; 0 is good. */
const KINDS: Readonly<Record<number, ErrorKind>> = {
  21: LoginNeeded,
  100: Blocked,
  102: Blocked,
  104: NotFound,
  106: Private,
}

/** The code of a session that is missing or has run out. */
const NO_SESSION = 100

/** An answer as far as it could be read. */
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

/** Whether the answer asks for a new session. */
export const wantsSession = ({ status, json }: Answer): boolean =>
  codeOf(json) === NO_SESSION || (status === 401 && codeOf(json) === null)

/**
 * The JSON of a good answer. Older ones say `code: 0`, newer ones nothing.
 *
 * @throws {SourceError} for any other answer
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

/** What a page in the place of the JSON means: never an empty list. Any page may carry scripts of those that block. */
export function pageFailure(status: number, body: string): SourceError {
  const words = `${status}: ${pageKind(body)}`
  return status < 400 ? new Blocked(words) : statusError(status, words)
}

function pageKind(body: string): string {
  if (/captcha-delivery\.com|datadome/i.test(body)) return 'a captcha page (DataDome)'
  if (/cloudflare|__cf_|cf-chl|challenge-platform/i.test(body)) return 'a challenge page (Cloudflare)'
  return 'an unexpected page'
}

/** A block of DataDome as its scripts are told it: where the captcha is, and nothing else. */
const isCaptcha = (json: unknown): boolean =>
  /^https:\/\/(?:[a-z0-9-]+\.)*captcha-delivery\.com\//.test(textOrNull(at(json, 'url')) ?? '')

const codeOf = (json: unknown): number | null => integerOrNull(at(json, 'code'))

function wordsOf(code: number, json: unknown): string {
  const slug = textOrNull(at(json, 'message_code'))
  const said = textOrNull(at(json, 'message'))
  return [`code ${code}`, slug && ` (${slug})`, said && `: ${said}`].filter(Boolean).join('')
}
