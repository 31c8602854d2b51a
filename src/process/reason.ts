/**
 * The text of a failure for the service's log.
 *
 * @module
 */

/** The text of a failure for the log: its stack if it has one, at most 4000 characters. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? (error.stack ?? String(error)) : String(error)).slice(0, 4000)
