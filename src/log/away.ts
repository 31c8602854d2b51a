/**
 * Reads that a caller can do without.
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
