/**
 * What a person learns of a session: its events, and how it ended.
 *
 * @module
 */
import { SignInError, type SignInErrorCode } from '../browser/errors.ts'
import type { SignInEvent } from '../browser/types.ts'

export type SessionEnd = SignInErrorCode | 'expired' | 'withdrawn' | 'abandoned' | 'not-saved'

/** `done`: the login is saved and usable. `done` and `failed` are always the last event. */
export type SessionEvent =
  | SignInEvent
  /** `before`: how many people are ahead in the queue */
  | { readonly type: 'waiting'; readonly before: number }
  /** signed in; the login is being saved */
  | { readonly type: 'saving' }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly code: SessionEnd; readonly text: string }

const WORDS = {
  expired: 'the time to sign in has run out',
  withdrawn: 'the login was deleted, or a newer link was opened',
  abandoned: 'this page was not open for five minutes',
  'not-saved': 'the login could not be saved',
} as const

/** The event that reports such an end to the person. */
export const failure = (code: SessionEnd): SessionEvent => ({
  type: 'failed',
  code,
  text: isOurs(code) ? WORDS[code] : new SignInError(code).message,
})

const isOurs = (code: SessionEnd): code is keyof typeof WORDS => Object.hasOwn(WORDS, code)
