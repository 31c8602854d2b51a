/**
 * How the embedded log is opened.
 *
 * @module
 */
import type { Disk } from '../../sqlite/commits.ts'

export type SqliteLogOptions = {
  /** told after each commit how long it took, in milliseconds */
  readonly onCommit?: (ms: number) => void
  /** told of each failure that heals by itself: a subscription asks again. By default a warning of the process */
  readonly onFailure?: ((error: unknown) => void) | undefined
  /** where the file lies; another one in tests */
  readonly disk?: Disk
}
