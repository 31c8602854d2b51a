/**
 * Waiting: for a time that can be cut short, and for others to have their turn.
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

/** Resolves when others had their turn of the event loop. */
export const turn = (): Promise<void> => new Promise((go) => setImmediate(go))
