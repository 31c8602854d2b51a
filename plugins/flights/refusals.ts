/**
 * How the source says no: error codes in its data, and pages that stand in for what was asked for.
 *
 * @module
 */
import {
  BadInput,
  Blocked,
  type ErrorKind,
  NotFound,
  type PageSigns,
  RateLimited,
  type SourceError,
  Unavailable,
} from 'gleaner/plugin'

/** The codes of gRPC that tell more than that it failed, and those of HTTP, which some rows have instead. */
const KINDS: Readonly<Record<number, ErrorKind>> = {
  3: BadInput,
  5: NotFound,
  7: Blocked,
  8: RateLimited,
  // "Internal" is what clients get whom the service does not want to serve.
  13: Blocked,
  16: Blocked,
  400: BadInput,
  403: Blocked,
  404: NotFound,
  429: RateLimited,
}

/** The error of a code in the source's data; null for a row that names none. */
export function refusalOf(code: number | null, words: string | null): SourceError {
  return new (KINDS[code ?? 0] ?? Unavailable)(
    `the source answers error ${code ?? 'without a code'}${words === null ? '' : `: ${words}`}`,
  )
}

/** Consent and captcha pages that come with status 200. */
export const PAGES: PageSigns = [
  [/Before you continue to Google|action="https:\/\/consent\.google\./i, 'consent page'],
  [/\/sorry\/index|unusual traffic|captcha-form|g-recaptcha/i, 'captcha page'],
]
