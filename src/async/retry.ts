/**
 * Retries with growing delays, for transient failures.
 *
 * @module
 */
import { random } from '../random.ts'
import { clock } from './clock.ts'
import { delay } from './delay.ts'

/** Delays that grow with each failure, in milliseconds. */
export type Backoff = {
  /** after the first failure; it doubles with each further one */
  readonly firstMs: number
  readonly longestMs: number
  /** the part of a delay that is random, from 0 to 1, so that many retries do not coincide; default 0 */
  readonly jitter?: number
}

/**
 * The delay before the next attempt, in milliseconds.
 *
 * @param failures the number of failed attempts so far, from 1
 * @param chance a random number from 0 to 1
 */
export const backoff = (
  failures: number,
  { firstMs, longestMs, jitter = 0 }: Backoff,
  chance = random(),
): number => Math.min(longestMs, firstMs * 2 ** (failures - 1)) * (1 - jitter * (1 - chance))

export type RetryOptions = {
  /** whether a failure is transient; any other is thrown at once */
  readonly when: (error: unknown) => boolean
  /** ends the delay between two attempts */
  readonly signal?: AbortSignal | undefined
  /** milliseconds before the second attempt; each further delay is twice as long */
  readonly firstMs: number
  /** the longest delay in milliseconds; unlimited by default */
  readonly longestMs?: number
  /** no attempt starts later than this, in milliseconds after the call; unlimited by default */
  readonly forMs?: number
  /** called after each failure that is followed by another attempt */
  readonly onRetry?: ((error: unknown) => void) | undefined
}

/**
 * Calls `act` until it succeeds.
 *
 * @throws the error of the last attempt, or the signal's reason once it has aborted
 */
export async function retry<T>(act: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { when, signal, firstMs, longestMs = Number.POSITIVE_INFINITY, onRetry } = options
  const until = clock.monotonic() + (options.forMs ?? Number.POSITIVE_INFINITY)
  for (let failures = 1; ; failures++) {
    signal?.throwIfAborted()
    try {
      return await act()
    } catch (error) {
      const leftMs = until - clock.monotonic()
      if (leftMs <= 0 || !when(error)) throw error
      onRetry?.(error)
      await delay(Math.min(backoff(failures, { firstMs, longestMs }, 1), leftMs), signal)
    }
  }
}

/** As {@link retry}, for work that is not needed after an abort: resolves to undefined once the signal has aborted. */
export async function retryUntilAborted<T>(
  act: () => Promise<T>,
  options: RetryOptions & { readonly signal: AbortSignal },
): Promise<T | undefined> {
  try {
    return await retry(act, options)
  } catch (error) {
    if (options.signal.aborted) return undefined
    throw error
  }
}
