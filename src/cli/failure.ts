/**
 * Exit codes, and errors of commands that are shown by their message alone.
 *
 * @module
 */

/** The exit codes of `gleaner`. */
export const OK = 0
export const FAILED = 1
export const USAGE = 2

/** Wrong arguments that only the command itself can detect. The exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A failed command. Without a message, the command has already reported the failure. The exit code is 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}
