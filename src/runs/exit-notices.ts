/**
 * What the service says of a run that starts over at another exit, in place of progress that it does not have yet.
 *
 * @module
 */

/** By how the exit that the run had failed. */
export const EXIT_NOTICES = {
  blocked: 'Refused, trying another way out.',
  refused: "The proxy can't reach the source, trying another way out.",
  unreachable: "The proxy can't be reached, trying another way out.",
} as const

const ALL: ReadonlySet<string> = new Set(Object.values(EXIT_NOTICES))

/** Whether a message of a run's progress is one of the service's, and none of its plugin's. */
export const isExitNotice = (message: string): boolean => ALL.has(message)
