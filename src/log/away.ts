/**
 * Asking for what can be done without.
 *
 * @module
 */
import { StoreUnavailable } from './event-log.ts'

/** What a store brings; undefined when it is away. @throws whatever else went wrong */
export async function unlessAway<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof StoreUnavailable) return undefined
    throw error
  }
}
