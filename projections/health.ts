/**
 * One row per task: how its latest runs ended, across all accounts, and which run failed last. `/v1/tasks` shows it as
 * `health`.
 *
 * @module
 */

import {
  healthOf,
  MOST_ENDS,
  type Standing,
  standingAt,
  type Telling,
  tellingOf,
} from '../src/domain/health/standing.ts'
import type { AccountId, RunId } from '../src/domain/ids.ts'
import type { Projection, Row } from '../src/read/read-models.ts'

/** `health` and `health_since` are as of the latest end; `standingAt` has them now. */
export type HealthRow = Row &
  Standing & {
    readonly task_key: string
    /** oldest first */
    readonly ends: readonly Telling[]
    /** the last run whose end was not good; null without one */
    readonly last_failure: {
      /** RFC 3339 */
      readonly at: string
      readonly code: string
      readonly run_id: RunId
      readonly account_id: AccountId
    } | null
  }

export const health: Projection<HealthRow, 'RunSucceeded' | 'RunFailed' | 'RunErrored' | 'RunExpired'> = {
  name: 'health',
  version: 3,
  types: ['RunSucceeded', 'RunFailed', 'RunErrored', 'RunExpired'],
  key: ({ event }) => event.data.task_key,
  apply(row, { event, meta }) {
    const { task_key, code, run_id } = event.data
    const { at, account_id } = meta
    const telling = tellingOf(code, at)
    if (telling === undefined) return row ?? null
    const ends = [...(row?.ends ?? []).slice(1 - MOST_ENDS), telling]
    const health = healthOf(ends, Date.parse(at))
    const before = row && standingAt(row, row.ends, Date.parse(at))
    return {
      task_key,
      ends,
      health,
      health_since: before?.health === health ? before.health_since : at,
      last_failure:
        telling.good || code === null
          ? (row?.last_failure ?? null)
          : { at, code, run_id, account_id: account_id as AccountId },
    }
  },
  indexes: {},
}
