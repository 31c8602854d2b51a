/**
 * The account whose runs try the tasks, and how their ends count: a bad one only when its repeat is bad too.
 *
 * @module
 */
import type { AccountId } from '../ids.ts'
import type { Telling } from './ends.ts'

/** The operator's own account `canary`: its runs are free of charge. Derived from the SHA-256 of the word. */
export const CANARY_ACCOUNT_ID = 'acc_w40fqkg0hg2erg33fbraz4fv5w' as AccountId

/** The last end of the canary's runs of a task. */
export type CanaryEnd = Telling & {
  /** a bad end that waits for its repeat */
  readonly pending: boolean
}

const REPEAT_MS = 3_600_000

/** The last end of the canary's runs after one more. It counts for health unless it is pending. */
export function canaryEnd(before: CanaryEnd | null, end: Telling): CanaryEnd {
  const isRepeat = before?.pending === true && Date.parse(end.at) - Date.parse(before.at) <= REPEAT_MS
  return { ...end, pending: !end.good && !isRepeat }
}
