/**
 * What an error of the browser means for a run.
 *
 * @module
 */
import { SourceError, TryAgain, Unavailable } from '../plugin/errors.ts'

/** This machine has none. It is no fault of the source: the run ends as errored. */
export class NoBrowser extends Error {
  override readonly name = 'NoBrowser'
  constructor() {
    super('no browser is installed here')
  }
}

/**
 * The browser, or the process that has it, failed. It may pass, so the task begins anew; but it is no fault of the source,
 * and the run ends as errored when it does not pass.
 */
export class BrowserFailed extends TryAgain {
  override readonly name: string = 'BrowserFailed'
}

export class NotStarted extends BrowserFailed {
  override readonly name = 'NotStarted'
  constructor() {
    super('the browser does not start')
  }
}

/** The page's own script threw it. */
export class PageError extends Error {
  override readonly name = 'PageError'
}

const MEANINGS: readonly (readonly [RegExp, () => SourceError])[] = [
  [/ERR_TOO_MANY_REDIRECTS/, () => new SourceError('source-redirected', 'too many redirects')],
  [
    /ERR_(UNSAFE_REDIRECT|UNKNOWN_URL_SCHEME|DISALLOWED_URL_SCHEME)/,
    () => new SourceError('source-redirected', 'redirected to something other than an http(s) URL'),
  ],
  [
    /ERR_(PROXY_CONNECTION_FAILED|INSUFFICIENT_RESOURCES|OUT_OF_MEMORY)/,
    () => new BrowserFailed('the browser has no connection, or no memory'),
  ],
  [/net::ERR_/, () => new Unavailable('the connection failed')],
  [/interrupted by another navigation/, () => new TryAgain('the page moved on')],
  [/crash|has been closed|session closed/i, () => new BrowserFailed('the page crashed')],
]

/** The same error where it means nothing for a run; the browser's own words may hold addresses and are left out. */
export function failureOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof SourceError || error instanceof PageError) return error
  return MEANINGS.find(([words]) => words.test(error.message))?.[1]() ?? error
}

/** Whether Playwright gave up waiting. */
export const isTimeout = (error: unknown): boolean => (error as Error | undefined)?.name === 'TimeoutError'
