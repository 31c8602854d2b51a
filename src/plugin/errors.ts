/**
 * The errors by which a task says why the source could not be read. Each ends the run as `failed` with its own code;
 * what was collected until then is kept. Any other error that a task throws ends the run as `errored`.
 *
 * @module
 */

/** The codes of runs that end as failed. */
export type SourceErrorCode =
  | 'not-found'
  | 'private'
  | 'restricted'
  | 'bad-input'
  | 'source-blocked'
  | 'source-rate-limited'
  | 'source-unavailable'
  | 'source-login-required'
  | 'source-changed'
  | 'source-redirected'
  | 'response-too-large'

/** The base of all of them. `message` is shown to the client: the source's own code or words, 300 characters at most. */
export class SourceError extends Error {
  override readonly name: string = 'SourceError'
  constructor(
    readonly code: SourceErrorCode,
    message = '',
  ) {
    super(message)
  }
}

const kind = (name: string, code: SourceErrorCode) =>
  class extends SourceError {
    override readonly name = name
    constructor(message?: string) {
      super(code, message)
    }
  }

/** The source has no such thing: never tried again. */
export class NotFound extends kind('NotFound', 'not-found') {}
/** It is there, and not for the public. */
export class Private extends kind('Private', 'private') {}
/** An age gate, a quarantine: the source wants a confirmation that is not given here. */
export class Restricted extends kind('Restricted', 'restricted') {}
/** The source refused the query; `message` has its words. */
export class BadInput extends kind('BadInput', 'bad-input') {}
/** A block, captcha or consent page instead of the content. */
export class Blocked extends kind('Blocked', 'source-blocked') {}
/** The source asks to come back later, even after the retries of `fetch`. */
export class RateLimited extends kind('RateLimited', 'source-rate-limited') {}
/** The source answers with server errors or not at all. */
export class Unavailable extends kind('Unavailable', 'source-unavailable') {}
/** The page is shown to signed-in visitors only, or the saved login no longer works. */
export class LoginNeeded extends kind('LoginNeeded', 'source-login-required') {}
/** The answer lacks its known container: the source has changed and the plugin must follow. Never zero items. */
export class SourceChanged extends kind('SourceChanged', 'source-changed') {}
/** A passing fault: the task is started again, twice at most, then the run ends as source-unavailable. */
export class TryAgain extends kind('TryAgain', 'source-unavailable') {}
