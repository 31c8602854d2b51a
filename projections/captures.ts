/**
 * The latest captures of each task, ten at most: where the last answers of a run are stored whose source had changed.
 * The next one takes the place of the oldest. Their artifacts expire by themselves, so a row may outlive its artifact.
 *
 * @module
 */
import { type AccountId, idOf, type RunId } from '../src/domain/ids.ts'
import type { Projection, Row } from '../src/read/read-models.ts'

export type CaptureRow = Row & {
  readonly task_key: string
  readonly source: string
  readonly run_id: RunId
  readonly account_id: AccountId
  /** the run's error; null if it succeeded while its task drifted */
  readonly code: string | null
  /** of the artifact */
  readonly ref: string
  /** of the artifact */
  readonly bytes: number
  /** the number of answers in it */
  readonly exchanges: number
  /** RFC 3339 */
  readonly at: string
  /** its place among those of its task */
  readonly slot: number
  /** position of its event: the sort key of lists */
  readonly stored: number
  /** the same in all rows, so that one index covers all of them */
  readonly all: 1
}

/** The key of the row in a task's place. */
export const captureKey = (taskKey: string, slot: number): string => `${taskKey}:${slot}`

export const captures: Projection<CaptureRow, 'CaptureStored'> = {
  name: 'captures',
  version: 1,
  types: ['CaptureStored'],
  key: ({ event }) => captureKey(event.data.task_key, event.data.slot),
  apply: (_, { event, meta, stream, position }) => {
    const { task_key, run_id, account_id, code, ref, bytes, exchanges, slot } = event.data
    return {
      task_key,
      source: idOf(stream),
      run_id: run_id as RunId,
      account_id: account_id as AccountId,
      code,
      ref,
      bytes,
      exchanges,
      at: meta.at,
      slot,
      stored: position,
      all: 1,
    }
  },
  indexes: { all: ['all', 'stored'], by_source: ['source', 'stored'], by_run: ['run_id', 'stored'] },
}
