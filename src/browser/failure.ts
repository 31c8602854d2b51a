/**
 * What an error of the browser means for a run.
 *
 * @module
 */
import { SourceError, TryAgain, Unavailable } from '../plugin/errors.ts'

/** The page's own script threw it. */
export class PageError extends Error {
  override readonly name = 'PageError'
}

const MEANINGS: readonly (readonly [RegExp, () => SourceError])[] = [
  [/ERR_TOO_MANY_REDIRECTS/, () => new SourceError('source-redirected', 'too many redirects')],
  [
    /ERR_(UNSAFE_REDIRECT|UNKNOWN_URL_SCHEME|DISALLOWED_URL_SCHEME)/,
    () => new SourceError('source-redirected', 'redirected to no web address'),
  ],
  [/net::ERR_/, () => new Unavailable('the connection failed')],
  [/interrupted by another navigation/, () => new TryAgain('the page moved on')],
  [/crash|has been closed|session closed/i, () => new TryAgain('the page crashed')],
]

/** The same error where it means nothing for a run; the browser's own words may hold addresses and are left out. */
export function failureOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof SourceError || error instanceof PageError) return error
  return MEANINGS.find(([words]) => words.test(error.message))?.[1]() ?? error
}

/** Whether Playwright gave up waiting. */
export const isTimeout = (error: unknown): boolean => (error as Error | undefined)?.name === 'TimeoutError'
