/**
 * The days of a person's time zone. The script of the pages puts the browser's zone into a cookie, and shows all times in
 * it. Without scripts there is no such cookie, and days and times are those of UTC.
 *
 * @module
 */
import { cookiesIn } from '../page/cookie.ts'

/** As in the script. */
const COOKIE = 'gleaner_zone'
const DAY_MS = 86_400_000

/** The name of the browser's time zone, such as `Pacific/Auckland`; `UTC` if it is unknown. */
export function zoneOf(request: Request): string {
  try {
    const zone = decodeURIComponent(cookiesIn(request, COOKIE)[0] ?? '')
    return zone === '' ? 'UTC' : new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    return 'UTC'
  }
}

/** Days of a time zone, written as `2026-11-29`. Times are milliseconds since 1970. */
export class Days {
  private readonly clock: Intl.DateTimeFormat

  constructor(readonly zone: string) {
    // In Swedish, a time is written as 2026-11-29 03:01:00.
    this.clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  }

  /** The day of a time. */
  of(at: number): string {
    return this.clock.format(at).slice(0, 10)
  }

  /** When a day begins. */
  start(day: string): number {
    const midnight = Date.parse(`${day}T00:00:00Z`)
    // The offset at midnight differs from the one a few hours later on days on which the clocks change.
    return midnight - this.offset(midnight - this.offset(midnight))
  }

  /** When a day ends: the last millisecond before the next one. */
  end(day: string): number {
    return this.start(dayAfter(day, 1)) - 1
  }

  /** How far the zone's clocks are ahead of UTC at a time, in milliseconds. */
  private offset(at: number): number {
    const second = Math.floor(at / 1000) * 1000
    return Date.parse(`${this.clock.format(second).replace(' ', 'T')}Z`) - second
  }
}

/** The day a number of days after another one, or before it if the number is negative. */
export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)

/** A day from a date field; undefined for any other text. */
export const dayIn = (text: string): string | undefined => {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return new Date(at || 0).toISOString().startsWith(text) && !Number.isNaN(at) ? text : undefined
}
