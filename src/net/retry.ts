/**
 * When a request is tried again.
 *
 * @module
 */
import { random } from '../random.ts'

/** The longest wait before the second try, in milliseconds; it doubles with each further one. */
const FIRST_MS = 500
/** The longest wait between two tries of our own choice, in milliseconds. */
const LONGEST_MS = 10_000

/**
 * A random time up to a limit that doubles with every try, so that many runs don't come back together.
 *
 * @param attempt how many tries failed, from 1
 * @returns milliseconds
 */
export const backoff = (attempt: number, chance = random()): number =>
  (0.5 + chance / 2) * Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1))

/**
 * How long an answer asks to wait.
 *
 * @param header its `Retry-After`: seconds or a date
 * @param now milliseconds since 1970
 * @returns milliseconds; undefined when it says nothing
 */
export function retryAfter(header: string | null | undefined, now: number): number | undefined {
  const said = header?.trim()
  if (!said) return undefined
  if (/^\d+$/.test(said)) return Math.min(Number.MAX_SAFE_INTEGER, Number(said) * 1000)
  const date = Date.parse(said)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
