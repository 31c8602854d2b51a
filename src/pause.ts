/**
 * Waiting that can be cut short.
 *
 * @module
 */

/** Resolves after a time in milliseconds, or as soon as the signal aborts; never rejects. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((go) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      go()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
