/**
 * What the service says of a run that starts over at another exit, in place of progress that it does not have yet.
 *
 * @module
 */

/** By how the exit that the run had failed. */
export const EXIT_NOTICES = {
  blocked: 'The source blocked the proxy. Trying another one.',
  refused: "The proxy can't reach the source. Trying another one.",
  unreachable: "The proxy can't be reached. Trying another one.",
} as const

const ALL: ReadonlySet<string> = new Set(Object.values(EXIT_NOTICES))

/** Whether a message of a run's progress is one of the service's, and none of its plugin's. */
export const isExitNotice = (message: string): boolean => ALL.has(message)
