/**
 * Options of the embedded log.
 *
 * @module
 */
import type { Disk } from '../../sqlite/commits.ts'

export type SqliteLogOptions = {
  /** called after each commit with its duration in milliseconds */
  readonly onCommit?: (ms: number) => void
  /** called for each failure that a subscription retries; a process warning by default */
  readonly onFailure?: ((error: unknown) => void) | undefined
  /** the disk that holds the file; tests replace it */
  readonly disk?: Disk
}
