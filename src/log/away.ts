/**
 * Reads from stores that may be unavailable. Some callers can do without the answer.
 *
 * @module
 */
import { StoreUnavailable } from './event-log.ts'

/** Resolves to the store's answer, or to undefined when the store is unavailable. @throws any other error */
export async function unlessAway<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof StoreUnavailable) return undefined
    throw error
  }
}

/**
 * Returns the result of reading a file.
 *
 * @param failed the failed operation, for the error message
 * @throws {StoreUnavailable} in place of the file's error. A TypeError is a defect of the query and is thrown as it is
 */
export function orUnavailable<T>(failed: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof TypeError || cause instanceof StoreUnavailable) throw cause
    throw new StoreUnavailable(`${failed}: ${(cause as Error).message}`, { cause })
  }
}
