/**
 * The health of tasks in words, for mails and for programs with a language model.
 *
 * @module
 */
import type { Drift } from '../domain/health/drift.ts'
import type { Standing } from './standings.ts'

/** How many fields are named. */
const MOST_FIELDS = 5

/** A share from 0 to 1 as a whole percentage. */
export const percent = (share: number): string => `${Math.round(share * 100)} %`

/** What happened to a field: `price was filled in 98 %, now 12 %`. */
export const driftWords = ({ field, was, now }: Drift): string =>
  `${field} was filled in ${percent(was)}, now ${percent(now)}`

/** The minute of a time: `2026-11-29 02:10 UTC`. @param at RFC 3339 in UTC */
export const minuteOf = (at: string): string => `${at.slice(0, 16).replace('T', ' ')} UTC`

/** How a task stands: `healthy`, `drifting since 2026-11-29 (price was filled in 98 %, now 12 %)`. */
export function healthWords({ health, since, drift }: Pick<Standing, 'health' | 'since' | 'drift'>): string {
  if (health === 'healthy' || health === 'unknown' || since === null) return health
  const more = drift.length > MOST_FIELDS ? [`${drift.length - MOST_FIELDS} more fields`] : []
  const fields = [...drift.slice(0, MOST_FIELDS).map(driftWords), ...more].join('; ')
  return `${health} since ${since.slice(0, 10)}${fields && ` (${fields})`}`
}
