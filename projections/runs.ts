/**
 * One row per run: for lists, and for starting workers, which must know the open runs.
 *
 * @module
 */
import { namesOf } from '../src/domain/events.ts'
import { type AdmittedRun, isAdmitted, isEnded, type RunEvent, runDecider } from '../src/domain/run.ts'
import { RUN_EVENTS } from '../src/domain/run-events.ts'
import type { Projection, Row } from '../src/read/read-models.ts'

export type RunRow = Row & {
  readonly run_id: string
  readonly account_id: string
  readonly task_key: string
  readonly run_status: string
  /** position of its RunRequested: the sort key of lists */
  readonly created: number
  /** 1 until it has ended, then null */
  readonly open: 1 | null
  /** revision of the run's stream that the row reflects */
  readonly revision: number
  readonly run: AdmittedRun
}

export const runs: Projection<RunRow, RunEvent['type']> = {
  name: 'runs',
  version: 3,
  types: namesOf(RUN_EVENTS),
  key: ({ event }) => event.data.run_id,
  begins: ({ event }) => event.type === 'RunRequested',
  apply(row, { event, meta, position, revision }) {
    const run = runDecider.evolve(row?.run ?? runDecider.initial, event, meta)
    if (!isAdmitted(run)) return null
    return {
      run_id: run.runId,
      account_id: run.accountId,
      task_key: run.taskKey,
      run_status: run.status,
      created: row?.created ?? position,
      open: isEnded(run) ? null : 1,
      revision,
      run,
    }
  },
  indexes: {
    by_account: ['account_id', 'created'],
    by_status: ['account_id', 'run_status', 'created'],
    by_task: ['account_id', 'task_key', 'created'],
    by_status_and_task: ['account_id', 'run_status', 'task_key', 'created'],
    open: ['open', 'created'],
  },
}
