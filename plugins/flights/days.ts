/**
 * Converts calendar days and local times from the source's form to the form of items. There are no time zones: a
 * departure has the local time of its airport.
 *
 * @module
 */
import { integerOrNull } from 'gleaner/plugin'

const DAY_MS = 86_400_000

/** Whether a text is a valid calendar day: `2028-02-29` is, `2027-02-29` is not. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && dayOfTime(time) === text
}

/** The UTC day of a time in milliseconds since 1970. */
export const dayOfTime = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** A valid day as people write it: `9 Mar 2027`. */
export function dayInWords(day: string): string {
  const [year, month, date] = day.split('-').map(Number)
  return `${date} ${MONTHS[Number(month) - 1]} ${year}`
}

/** The number of days from `from` to `to`; null when one is unknown. */
export const daysBetween = (from: string | null, to: string | null): number | null =>
  from === null || to === null ? null : Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS)

/** A day from the source's `[year, month, day]`; null for any other value. */
export function dayOf(date: unknown): string | null {
  if (!Array.isArray(date)) return null
  const [year, month, day] = date.map(integerOrNull)
  return year ? datedDay(year, month ?? 0, day ?? 0) : null
}

/** A day such as `2027-03-09` from its numbers; null when the calendar has no such day. */
export function datedDay(year: number, month: number, day: number): string | null {
  const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
  return isDay(text) ? text : null
}

/**
 * A local time such as `2027-03-09T07:05:00`.
 *
 * @param time the source's `[hour, minute]`. It omits numbers that are 0: `[7]` is 7:00, `[null, 5]` is 0:05, and
 *   `[]` is midnight
 * @returns null when day or time is missing or invalid
 */
export function localTimeOf(day: string | null, time: unknown): string | null {
  if (day === null || !Array.isArray(time)) return null
  const [hour, minute] = [integerOrNull(time[0] ?? 0), integerOrNull(time[1] ?? 0)]
  if (hour === null || minute === null || hour < 0 || hour > 23 || minute < 0 || minute > 59) return null
  return `${day}T${two(hour)}:${two(minute)}:00`
}

const two = (number: number): string => String(number).padStart(2, '0')
