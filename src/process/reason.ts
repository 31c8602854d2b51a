/**
 * Code shared by the child processes of the service: signal handling, and the text of a failure for the service's log.
 *
 * @module
 */

/** The text of a failure for the log: its stack if it has one, at most 4000 characters. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? (error.stack ?? String(error)) : String(error)).slice(0, 4000)

/** Ignores signals: a service manager signals all processes at once, but the service decides when a child ends. */
export function leaveSignalsToService(): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
}
