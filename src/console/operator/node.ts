/**
 * What a process of the service says about itself on the operator's page of the system.
 *
 * @module
 */
import type { WorkerFigures } from '../../metrics.ts'

/** A worker now. */
export type WorkerNow = WorkerFigures & {
  /** how many runs it executes at once at most */
  readonly places: number
  /** the resident memory of the processes of plugins in MiB, by source */
  readonly memoryMb: ReadonlyMap<string, number>
  readonly browser: {
    /** whether there is a program to start */
    readonly isInstalled: boolean
    readonly isRunning: boolean
    /** runs with pages, and sign-ins */
    readonly users: number
  }
}

/** A process of the service now. */
export type NodeFigures = {
  /** milliseconds since 1970 */
  readonly startedAt: number
  /** undefined without the role worker */
  readonly worker: WorkerNow | undefined
}
