/**
 * Days as people write them.
 *
 * @module
 */
import { type Html, html } from '../../html.ts'
import { dayAfter } from '../time-zone.ts'

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** A day such as `2026-11-29` as `29 Nov 2026`. */
export const dayLabel = (day: string): string => `${shortDay(day)} ${day.slice(0, 4)}`

/** A day such as `2026-11-29` as `29 Nov`. */
export const shortDay = (day: string): string =>
  `${Number(day.slice(8, 10))} ${MONTHS[Number(day.slice(5, 7)) - 1]}`

/** The day of a time, in UTC. A script shows that of the browser's time zone, with the time as its tooltip. @param at RFC 3339 */
export const dateOf = (at: string): Html =>
  html`<time datetime="${at}" title="${at.slice(0, 10)} ${at.slice(11, 19)} UTC" data-day>${dayLabel(at.slice(0, 10))}</time>`

/** The last days in UTC, today included, oldest first. @param now milliseconds since 1970 */
export function lastDays(now: number, days: number): string[] {
  const today = new Date(now).toISOString().slice(0, 10)
  return Array.from({ length: days }, (_, i) => dayAfter(today, i + 1 - days))
}
