/**
 * The site's statuses: of posts that it does not show, and of lists that it refuses.
 *
 * @module
 */
import {
  at,
  type ErrorKind,
  integerOrNull,
  LoginNeeded,
  NotFound,
  Private,
  Restricted,
  SourceChanged,
  type SourceError,
  textOrNull,
} from 'gleaner/plugin'

/** The words decide before the number: 10204 stands for several reasons. */
const WORDS: readonly (readonly [RegExp, ErrorKind])[] = [
  [/status_self_see/i, Private],
  [/geo_fencing|geo_filter|cross_border|region|content_classification/i, Restricted],
  [/status_deleted|status_audit_not_pass|status_reviewing|item doesn.t exist/i, NotFound],
]

/** The number that the embed page gives for a deleted, a private and a withheld post alike. */
export const AMBIGUOUS = 10_204

const SIGNED_OUT: Readonly<Record<number, ErrorKind>> = { 10101: LoginNeeded, 209002: LoginNeeded }

const NUMBERS: Readonly<Record<number, ErrorKind>> = {
  ...SIGNED_OUT,
  10216: Private,
  10222: Private,
  10231: Restricted,
  [AMBIGUOUS]: NotFound,
  10202: NotFound,
  10205: NotFound,
  10221: NotFound,
  100002: NotFound,
}

/**
 * The error for the status of a post that is not 0.
 *
 * @param words the site's message; null when it gives none
 * @returns `SourceChanged` for unknown words and numbers
 */
export function stateError(status: number, words: string | null): SourceError {
  const [, byWords] = WORDS.find(([sign]) => words !== null && sign.test(words)) ?? []
  const kind = byWords ?? NUMBERS[status] ?? SourceChanged
  const unexplained = status === AMBIGUOUS ? 'not available, at least from here' : 'no message'
  return new kind(`status ${status}: ${words ?? unexplained}`)
}

/** A list's status that says neither that the visitor is signed out nor why the list is missing. */
export class UnknownStatus extends SourceChanged {}

/** The error for the status of a list or a detail; undefined when it is 0 or missing. @param kinds further statuses */
export function listError(
  json: unknown,
  kinds: Readonly<Record<number, ErrorKind>> = {},
): SourceError | undefined {
  const status = integerOrNull(at(json, 'status_code')) ?? integerOrNull(at(json, 'statusCode')) ?? 0
  if (status === 0) return undefined
  const words = textOrNull(at(json, 'status_msg')) ?? textOrNull(at(json, 'statusMsg')) ?? 'no message'
  const kind = { ...SIGNED_OUT, 8: LoginNeeded, ...kinds }[status] ?? UnknownStatus
  return new kind(`status ${status}: ${words}`)
}
