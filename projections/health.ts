/**
 * One row per task: how its latest runs ended, across all accounts. `/v1/tasks` shows it as `health`.
 *
 * @module
 */
import { MOST_ENDS, type Telling, tellingOf } from '../src/domain/health.ts'
import type { Projection, Row } from '../src/read/read-models.ts'

export type HealthRow = Row & {
  readonly task_key: string
  /** oldest first */
  readonly ends: readonly Telling[]
}

export const health: Projection<HealthRow, 'RunSucceeded' | 'RunFailed' | 'RunErrored' | 'RunExpired'> = {
  name: 'health',
  version: 2,
  types: ['RunSucceeded', 'RunFailed', 'RunErrored', 'RunExpired'],
  key: ({ event }) => event.data.task_key,
  apply(row, { event, meta }) {
    const { task_key, code } = event.data
    const telling = tellingOf(code, meta.at)
    if (telling === undefined) return row ?? null
    return { task_key, ends: [...(row?.ends ?? []).slice(1 - MOST_ENDS), telling] }
  },
  indexes: {},
}
