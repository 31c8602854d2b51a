/**
 * Waiting for promises that an abort signal can cut short.
 *
 * @module
 */

/**
 * Awaits a promise until the signal aborts. After an abort the promise continues, and its outcome is ignored.
 *
 * @throws the promise's rejection; after an abort the signal's reason, even when the abort itself made the promise
 *   reject
 */
export async function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    signal.throwIfAborted()
    return await Promise.race([aborted.promise, promise])
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
