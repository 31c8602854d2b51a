/**
 * The meaning of browser errors for a run.
 *
 * @module
 */
import { SourceError, TryAgain, Unavailable } from '../plugin/errors.ts'

/** No browser is installed on this machine. It is not the source's fault: the run ends as errored. */
export class NoBrowser extends Error {
  override readonly name = 'NoBrowser'
  constructor() {
    super('no browser is installed here')
  }
}

/**
 * The browser, or the process that hosts it, failed. The failure may be transient, so the task is retried. It is not
 * the source's fault: the run ends as errored if the failure persists.
 */
export class BrowserFailed extends TryAgain {
  override readonly name: string = 'BrowserFailed'
}

export class NotStarted extends BrowserFailed {
  override readonly name = 'NotStarted'
  constructor() {
    super('the browser did not start')
  }
}

/** An error thrown by script in the page. */
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
    () => new BrowserFailed('the browser has no connection or is out of memory'),
  ],
  [/net::ERR_/, () => new Unavailable('the connection failed')],
  [/interrupted by another navigation/, () => new TryAgain('the page navigated away')],
  [/crash|has been closed|session closed/i, () => new BrowserFailed('the page crashed')],
]

/**
 * Translates an error to its meaning for a run, or returns it unchanged when it has none. The browser's own message is
 * dropped, since it may contain addresses.
 */
export function failureOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof SourceError || error instanceof PageError) return error
  return MEANINGS.find(([words]) => words.test(error.message))?.[1]() ?? error
}

/** Whether Playwright gave up waiting. */
export const isTimeout = (error: unknown): boolean => (error as Error | undefined)?.name === 'TimeoutError'
