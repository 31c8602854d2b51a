/**
 * Durations in words, and times relative to now. A script keeps them current, by the same rules: see assets/clocks.js.
 *
 * @module
 */
import { type Html, html } from '../../html.ts'
import { time } from './parts.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A duration with its two largest units: `350 ms`, `4.2 s`, `1 min 12 s`, `2 h 5 min`, `3 d 4 h`. @param ms from 0 */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 10 * SECOND) return `${Math.floor(ms / 100) / 10} s`
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`
  if (ms < HOUR) return two(ms, MINUTE, 'min', SECOND, 's')
  return ms < DAY ? two(ms, HOUR, 'h', MINUTE, 'min') : two(ms, DAY, 'd', HOUR, 'h')
}

function two(ms: number, large: number, name: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small)
  return `${Math.floor(ms / large)} ${name}${rest > 0 ? ` ${rest} ${smallName}` : ''}`
}

/**
 * How long ago a time is: `just now`, `5 minutes ago`, `yesterday` for 24 to 48 hours. A time in the future, as of another
 * computer's clock, is `just now`.
 *
 * @param ms between the time and now
 */
export function ago(ms: number): string {
  if (ms < 45 * SECOND) return 'just now'
  if (ms < HOUR) return many(Math.min(59, Math.max(1, Math.round(ms / MINUTE))), 'minute')
  if (ms < DAY) return many(Math.floor(ms / HOUR), 'hour')
  if (ms < 2 * DAY) return 'yesterday'
  if (ms < 60 * DAY) return many(Math.floor(ms / DAY), 'day')
  return ms < 730 * DAY
    ? many(Math.floor(ms / (30 * DAY)), 'month')
    : many(Math.floor(ms / (365 * DAY)), 'year')
}

const many = (value: number, noun: string): string => `${value} ${noun}${value === 1 ? '' : 's'} ago`

/**
 * A time relative to now, with the absolute one as its tooltip. On a phone, which has no tooltips, both are shown.
 *
 * @param at RFC 3339
 * @param now milliseconds since 1970
 */
export function relative(at: string, now: number): Html {
  const age = now - Date.parse(at)
  return html`<time datetime="${at}" title="${at.slice(0, 10)} ${at.slice(11, 19)} UTC" data-ago="${age}">${ago(age)}</time><span class="on-phone"> (${time(at)})</span>`
}

/** The time that has passed since `at`, at least a second. @param at RFC 3339 @param now milliseconds since 1970 */
export function elapsed(at: string, now: number): Html {
  const age = Math.max(SECOND, now - Date.parse(at))
  return html`<time datetime="${at}" data-elapsed="${age}">${duration(Math.floor(age / SECOND) * SECOND)}</time>`
}
