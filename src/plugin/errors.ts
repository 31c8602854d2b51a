/**
 * The errors that a task throws when it cannot read the source. Each ends the run as `failed` with its own code; the
 * items yielded so far are kept. Any other error that a task throws ends the run as `errored`.
 *
 * @module
 */

/** All values of {@link SourceErrorCode}. */
export const SOURCE_ERROR_CODES = [
  'not-found',
  'private',
  'restricted',
  'bad-input',
  'source-blocked',
  'source-rate-limited',
  'source-unavailable',
  'source-login-required',
  'source-changed',
  'source-redirected',
  'response-too-large',
] as const

/**
 * The error codes of runs that end as failed.
 *
 * @example
 * const code: SourceErrorCode = new NotFound().code
 * code // => 'not-found'
 */
export type SourceErrorCode = (typeof SOURCE_ERROR_CODES)[number]

/**
 * The base class of these errors. Clients see `message`, up to 300 characters. It should quote the source's own code
 * or words, never the client's input.
 *
 * @example
 * const error = new SourceError('source-redirected', 'sent to other.example')
 * error.code // => 'source-redirected'
 */
export class SourceError extends Error {
  override readonly name: string = 'SourceError'
  constructor(
    readonly code: SourceErrorCode,
    message = '',
  ) {
    super(message)
  }

  /**
   * Whether no other request helps: the browser failed, or the proxy that the run goes out through. `routes` tries no
   * other route then. Code that catches a `SourceError` to try something else throws it on.
   */
  get isFinal(): boolean {
    return false
  }
}

/**
 * The type of these error classes, for tables that map a source's own codes to errors.
 *
 * @example
 * const kinds: Record<string, ErrorKind> = { PERMISSION_DENIED: Blocked, NOT_FOUND: NotFound }
 * new kinds.NOT_FOUND!('no such lamp').code // => 'not-found'
 */
export type ErrorKind = new (message?: string) => SourceError

const kind = (name: string, code: SourceErrorCode) =>
  class extends SourceError {
    override readonly name = name
    constructor(message?: string) {
      super(code, message)
    }
  }

/**
 * The source has no such thing. The run is not retried.
 *
 * @example
 * new NotFound('no lamp has this id').code // => 'not-found'
 */
export class NotFound extends kind('NotFound', 'not-found') {}
/**
 * The thing exists but is not public.
 *
 * @example
 * new Private().code // => 'private'
 */
export class Private extends kind('Private', 'private') {}
/**
 * An age gate or a quarantine: the source asks for a confirmation, which the service never gives.
 *
 * @example
 * new Restricted('quarantined').code // => 'restricted'
 */
export class Restricted extends kind('Restricted', 'restricted') {}
/**
 * The source rejected the query; `message` quotes the source.
 *
 * @example
 * new BadInput('badvalue: unknown language').message // => 'badvalue: unknown language'
 */
export class BadInput extends kind('BadInput', 'bad-input') {}
/**
 * A block, captcha or consent page instead of the content.
 *
 * @example
 * new Blocked('captcha').code // => 'source-blocked'
 */
export class Blocked extends kind('Blocked', 'source-blocked') {}
/**
 * The source asks to retry later, even after the retries of `fetch`.
 *
 * @example
 * new RateLimited().code // => 'source-rate-limited'
 */
export class RateLimited extends kind('RateLimited', 'source-rate-limited') {}
/**
 * The source responds with server errors or not at all.
 *
 * @example
 * new Unavailable('readonly').code // => 'source-unavailable'
 */
export class Unavailable extends kind('Unavailable', 'source-unavailable') {}
/**
 * The page is visible to signed-in visitors only, or the saved login no longer works.
 *
 * @example
 * new LoginNeeded().code // => 'source-login-required'
 */
export class LoginNeeded extends kind('LoginNeeded', 'source-login-required') {}
/**
 * The response lacks an expected part, such as its list of items: the source has changed, and the plugin must be
 * updated. Throw this error rather than yield zero items.
 *
 * @example
 * new SourceChanged('no list of hits').code // => 'source-changed'
 */
export class SourceChanged extends kind('SourceChanged', 'source-changed') {}
/**
 * A temporary fault. The task starts over, at most twice, without the items yielded so far. If this does not help, the
 * run ends with the code `source-unavailable`.
 *
 * @example
 * new TryAgain('the page came without its script') instanceof SourceError // => true
 */
export class TryAgain extends kind('TryAgain', 'source-unavailable') {
  override get isFinal(): boolean {
    return true
  }
}
