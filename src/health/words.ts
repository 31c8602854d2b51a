/**
 * The health of tasks in words, for mails and for programs with a language model.
 *
 * @module
 */
import type { Drift } from '../domain/health/drift.ts'

/** A share from 0 to 1 as a whole percentage. */
export const percent = (share: number): string => `${Math.round(share * 100)} %`

/** What happened to a field: `price was filled in 98 %, now 12 %`. */
export const driftWords = ({ field, was, now }: Drift): string =>
  `${field} was filled in ${percent(was)}, now ${percent(now)}`

/** The minute of a time: `2026-11-29 02:10 UTC`. @param at RFC 3339 in UTC */
export const minuteOf = (at: string): string => `${at.slice(0, 16).replace('T', ' ')} UTC`
