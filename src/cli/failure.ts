/**
 * Exit codes, and the errors of commands whose message is all that a person needs.
 *
 * @module
 */

/** The exit codes of `gleaner`. */
export const OK = 0
export const FAILED = 1
export const USAGE = 2

/** The arguments are wrong, in a way that only the command itself could see; the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command failed, and why; without a message it has already said so. The exit code is 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}
