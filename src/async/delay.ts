/**
 * Delays that can be cut short, time limits, and a turn for other work.
 *
 * @module
 */
import { setImmediate, setTimeout } from 'node:timers/promises'

/** Resolves after a time in milliseconds, or as soon as the signal aborts, where there is one; never rejects. */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  // It rejects only when the signal aborts, and the caller asks the signal itself.
  await setTimeout(ms, undefined, signal && { signal }).catch(() => {})
}

/**
 * What a promise resolves to, within a time limit. A promise that misses the limit goes on, and its outcome is ignored.
 *
 * @param ms the limit in milliseconds
 * @throws what the promise is rejected with, or what `late` makes when the time is up
 */
export async function withTimeout<T>(ms: number, promise: Promise<T>, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof globalThis.setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = globalThis.setTimeout(() => reject(late()), ms)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves when other work has had its turn of the event loop. */
export const nextTurn = (): Promise<void> => setImmediate()
