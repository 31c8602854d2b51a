/**
 * What the processes that the service starts have in common on their own side, and how a failure is told to its log.
 *
 * @module
 */

/** A failure for the log: its stack where there is one. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? (error.stack ?? String(error)) : String(error)).slice(0, 4000)

/** A service manager signals all processes at once; when a child ends is for the service to say. */
export function leaveSignalsToService(): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
}
