/**
 * Delays between attempts of a request.
 *
 * @module
 */
import type { Backoff } from '../async/retry.ts'

/** Delays between attempts when the source did not ask for one. The randomness spreads the retries of many runs. */
export const REQUEST_RETRIES: Backoff = { firstMs: 500, longestMs: 10_000, jitter: 0.5 }

/**
 * How long a response asks to wait.
 *
 * @param header its `Retry-After`: seconds or a date
 * @param now milliseconds since 1970
 * @returns milliseconds; undefined when the header is missing or invalid
 */
export function retryAfter(header: string | null | undefined, now: number): number | undefined {
  const value = header?.trim()
  if (!value) return undefined
  if (/^\d+$/.test(value)) return Math.min(Number.MAX_SAFE_INTEGER, Number(value) * 1000)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
