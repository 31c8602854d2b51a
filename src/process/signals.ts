/**
 * The signals that a child process of the service receives.
 *
 * @module
 */

/** Ignores signals: a service manager signals all processes at once, but the service decides when a child ends. */
export function leaveSignalsToService(): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
}
