/**
 * Why a sign-in can't begin, can't go on, or does not take an input.
 *
 * @module
 */
import { SourceError, TryAgain } from '../../plugin/errors.ts'

const WORDS = {
  'bad-input': 'invalid input',
  flooded: 'more input came than the page takes',
  busy: 'too many people are signing in right now',
  'no-browser': 'no browser can be started here',
  'browser-ended': 'the browser ended',
  'page-crashed': 'the page crashed',
  'too-large': 'the page took more memory or data than it may',
  closed: 'the sign-in was ended',
  defect: 'something went wrong here',
} as const

/**
 * `bad-input` and `flooded` are of one input, and the sign-in goes on; `busy` and `no-browser` come before it began;
 * all others end it.
 */
export type SignInErrorCode = keyof typeof WORDS

export class SignInError extends Error {
  override readonly name = 'SignInError'
  /** @param message what may be shown to anybody: nothing of what was typed */
  constructor(
    readonly code: SignInErrorCode,
    message: string = WORDS[code],
    /** of a defect, for the log */
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}

/** What an error of the browser means for a sign-in. */
export function signInErrorOf(error: unknown): SignInError {
  if (error instanceof SignInError) return error
  if (error instanceof TryAgain) {
    return new SignInError(/crash/.test(error.message) ? 'page-crashed' : 'browser-ended')
  }
  const isTooLarge = error instanceof SourceError && error.code === 'response-too-large'
  return isTooLarge ? new SignInError('too-large') : new SignInError('defect', undefined, error)
}
