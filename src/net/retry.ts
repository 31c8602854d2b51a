/**
 * Delays between attempts of a request.
 *
 * @module
 */
import { random } from '../random.ts'

/** The longest delay before the second attempt, in milliseconds. It doubles with each further attempt. */
const FIRST_MS = 500
/** The longest delay between two attempts when the source did not ask for one, in milliseconds. */
const LONGEST_MS = 10_000

/**
 * A random delay of half to all of a limit that doubles with every attempt. The randomness spreads the retries of many
 * runs.
 *
 * @param attempt the number of failed attempts, from 1
 * @returns milliseconds
 */
export const backoff = (attempt: number, chance = random()): number =>
  (0.5 + chance / 2) * Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1))

/**
 * How long a response asks to wait.
 *
 * @param header its `Retry-After`: seconds or a date
 * @param now milliseconds since 1970
 * @returns milliseconds; undefined when the header is missing or invalid
 */
export function retryAfter(header: string | null | undefined, now: number): number | undefined {
  const said = header?.trim()
  if (!said) return undefined
  if (/^\d+$/.test(said)) return Math.min(Number.MAX_SAFE_INTEGER, Number(said) * 1000)
  const date = Date.parse(said)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
