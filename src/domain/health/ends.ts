/**
 * What the ends of runs say about the health of their task.
 *
 * @module
 */
import { isRunErrorCode, type RunErrorCode } from '../codes.ts'

/** A run's end that counts for its task's health: good when the source was read, or really lacks the requested item. */
export type Telling = {
  /** RFC 3339 */
  readonly at: string
  readonly good: boolean
  /** null for a run that succeeded */
  readonly code: string | null
}

/** Codes of runs for which the source was read: the task works, and other inputs will be served. */
const GOOD: readonly RunErrorCode[] = ['not-found', 'private', 'restricted', 'bad-input']

/**
 * Codes that say nothing about the task. `queue-limit`: the service was busy. `source-login-required`: this account has
 * no login at the source, while runs of others succeed.
 */
const NEUTRAL: readonly RunErrorCode[] = ['queue-limit', 'source-login-required']

/**
 * What the end of a run says about its task's health; undefined when nothing.
 *
 * @param code null for a run that succeeded; an unknown code, from a later version, says nothing
 */
export function tellingOf(code: string | null, at: string): Telling | undefined {
  if (code === null) return { at, good: true, code }
  if (!isRunErrorCode(code) || NEUTRAL.includes(code)) return undefined
  return { at, good: GOOD.includes(code), code }
}
