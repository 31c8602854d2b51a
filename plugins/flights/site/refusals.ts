/**
 * The source's refusals: error codes in its data, and pages that it returns instead of the requested page.
 *
 * @module
 */
import {
  BadInput,
  Blocked,
  type ErrorKind,
  type PageSigns,
  RateLimited,
  SourceChanged,
  type SourceError,
  Unavailable,
} from 'gleaner/plugin'

/** The gRPC codes with a specific meaning, and the HTTP statuses that some rows contain instead. */
const KINDS: Readonly<Record<number, ErrorKind>> = {
  3: BadInput,
  5: SourceChanged,
  7: Blocked,
  8: RateLimited,
  // The services return "internal" to clients that they do not want to serve.
  13: Blocked,
  16: Blocked,
  400: BadInput,
  403: Blocked,
  404: SourceChanged,
  429: RateLimited,
}

/** The error for a code of a data service. @param code null for a row without a code */
export function refusalOf(code: number | null, words: string | null): SourceError {
  return new (KINDS[code ?? 0] ?? Unavailable)(
    `the source returned error ${code ?? '(no code)'}${words === null ? '' : `: ${words}`}`,
  )
}

/** Consent and captcha pages with status 200 or 429. */
export const PAGES: PageSigns = [
  [/Before you continue to Google|action="https:\/\/consent\.google\./i, 'consent page'],
  [/\/sorry\/index|unusual traffic|captcha-form|g-recaptcha/i, 'captcha page'],
]
