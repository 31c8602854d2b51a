/**
 * Retries with growing delays, for transient failures.
 *
 * @module
 */
import { clock } from './clock.ts'
import { delay } from './delay.ts'

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
  for (let ms = Math.min(firstMs, longestMs); ; ms = Math.min(ms * 2, longestMs)) {
    signal?.throwIfAborted()
    try {
      return await act()
    } catch (error) {
      const leftMs = until - clock.monotonic()
      if (leftMs <= 0 || !when(error)) throw error
      onRetry?.(error)
      await delay(Math.min(ms, leftMs), signal)
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
