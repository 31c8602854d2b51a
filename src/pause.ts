/**
 * Waiting: for a time that can be cut short, for something no longer than a time, and for others to have their turn.
 *
 * @module
 */

/** Resolves after a time in milliseconds, or as soon as the signal aborts, where there is one; never rejects. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((go) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      go()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
}

/**
 * What a promise brings, in time. One that is late goes on, and nobody hears of it.
 *
 * @param ms how long it is waited for, in milliseconds
 * @throws what the promise is rejected with, or what `late` makes when nothing has come by then
 */
export async function inTime<T>(ms: number, promise: Promise<T>, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms)
  })
  try {
    return await Promise.race([promise, over])
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves when others had their turn of the event loop. */
export const turn = (): Promise<void> => new Promise((go) => setImmediate(go))
