/**
 * Abortable delays, time limits, and yielding to other work.
 *
 * @module
 */
import { clearTimeout, setImmediate, setTimeout, type Timer } from './timers.ts'

/** Resolves after a time in milliseconds, or as soon as the optional signal aborts. Never rejects. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
  })
}

/**
 * Awaits a promise within a time limit. A promise that misses the limit continues, and its outcome is ignored.
 *
 * @param ms the limit in milliseconds
 * @throws the promise's rejection, or the result of `late` when the time is up
 */
export async function withTimeout<T>(ms: number, promise: Promise<T>, late: () => Error): Promise<T> {
  let timer: Timer | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves after other work has had a turn of the event loop. */
export const nextTurn = (): Promise<void> => new Promise((go) => setImmediate(go))
