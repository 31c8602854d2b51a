/**
 * Reasons why a sign-in can't start, can't continue, or rejects an input.
 *
 * @module
 */
import { SourceError, TryAgain } from '../../plugin/errors.ts'

const WORDS = {
  'bad-input': 'invalid input',
  flooded: 'the page cannot keep up with the input',
  busy: 'too many people are signing in right now',
  'no-browser': 'no browser can be started here',
  'browser-ended': 'the browser ended',
  'page-crashed': 'the page crashed',
  'too-large': 'the page used more memory or data than allowed',
  closed: 'the sign-in was ended',
  defect: 'something went wrong here',
} as const

/**
 * `bad-input` and `flooded` concern one input, and the sign-in continues. `busy` and `no-browser` prevent its start.
 * All others end it.
 */
export type SignInErrorCode = keyof typeof WORDS

export class SignInError extends Error {
  override readonly name = 'SignInError'
  /** @param message safe to show to anybody: it contains nothing that the person typed */
  constructor(
    readonly code: SignInErrorCode,
    message: string = WORDS[code],
    /** of a defect, for the log */
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}

/** Translates an error of the browser to its meaning for a sign-in. */
export function signInErrorOf(error: unknown): SignInError {
  if (error instanceof SignInError) return error
  if (error instanceof TryAgain) {
    return new SignInError(/crash/.test(error.message) ? 'page-crashed' : 'browser-ended')
  }
  const isTooLarge = error instanceof SourceError && error.code === 'response-too-large'
  return isTooLarge ? new SignInError('too-large') : new SignInError('defect', undefined, error)
}
