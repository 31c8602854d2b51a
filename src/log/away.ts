/**
 * Stores that are away: reads that fail, and reads that a caller can do without.
 *
 * @module
 */
import { StoreUnavailable } from './event-log.ts'

/** What a store answers; undefined when it is away. @throws any other error */
export async function unlessAway<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof StoreUnavailable) return undefined
    throw error
  }
}

/**
 * What a file answers.
 *
 * @param failed what could not be done, for the error
 * @throws {StoreUnavailable} instead of what the file throws; what is wrong with the question itself stays as it is
 */
export function orUnavailable<T>(failed: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof TypeError) throw cause
    throw new StoreUnavailable(`${failed}: ${(cause as Error).message}`, { cause })
  }
}
