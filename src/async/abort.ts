/**
 * Work that an abort ends early.
 *
 * @module
 */

/**
 * What a promise resolves to, unless the signal aborts first; the promise goes on then, and its outcome is ignored.
 *
 * @throws what the promise is rejected with; the signal's reason once it has aborted, which comes before what the abort
 *   did to the promise
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
