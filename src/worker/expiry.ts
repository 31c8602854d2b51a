/**
 * How long the results and files of a run are kept.
 *
 * @module
 */

export type Retention = {
  /** milliseconds since 1970 */
  readonly now: () => number
  readonly resultRetentionDays: number
}

/** Results are kept a little longer than they are shown, in milliseconds. */
const SLACK_MS = 60_000

/** The expiry of data of a run, in milliseconds since 1970. @param end when the run ends at the latest; default: now */
export const expiryOf = ({ now, resultRetentionDays }: Retention, end: number = now()): number =>
  end + resultRetentionDays * 86_400_000 + SLACK_MS
