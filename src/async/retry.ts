/**
 * Trying again with growing delays, for as long as a failure may pass.
 *
 * @module
 */
import { clock } from './clock.ts'
import { delay } from './delay.ts'

export type RetryOptions = {
  /** which failures may pass; any other is thrown at once */
  readonly when: (error: unknown) => boolean
  /** ends the delay between two tries */
  readonly signal?: AbortSignal | undefined
  /** milliseconds before the second try; each further delay is twice as long */
  readonly firstMs: number
  /** the longest delay in milliseconds; unlimited by default */
  readonly longestMs?: number
  /** no try starts later than this, in milliseconds; unlimited by default */
  readonly forMs?: number
  /** called after each failure that is followed by another try */
  readonly onRetry?: ((error: unknown) => void) | undefined
}

/**
 * Does something until it succeeds.
 *
 * @throws what the last try threw, or the signal's reason once it has aborted
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

/** As {@link retry}, for work that nobody needs once the signal has aborted: what it brings is undefined then. */
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
