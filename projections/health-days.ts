/**
 * One row per task and day of the last 90: how many runs ended how, how long they took, and how their items were filled.
 * The rows are a ring: a day takes the place of the one 90 days before it.
 *
 * @module
 */
import { CANARY_ACCOUNT_ID, type CanaryEnd, canaryEnd } from '../src/domain/health/canary.ts'
import { tellingOf } from '../src/domain/health/ends.ts'
import { counted, type Histogram } from '../src/domain/health/histogram.ts'
import type { RunFill } from '../src/domain/run-events.ts'
import type { Projection, Row } from '../src/read/read-models.ts'

/** The number of days that are kept. */
export const KEPT_DAYS = 90
export const DAY_MS = 86_400_000

/** The day of a time, UTC, in days since 1970. @param at RFC 3339 */
export const dayOf = (at: string): number => Math.floor(Date.parse(at) / DAY_MS)

/** The sums of the shares of fields over the runs of a day with the last schema of that day. */
export type DayFill = {
  readonly schema: string
  /** for each field, the number of runs whose items could have it, and the sum of their shares in thousandths */
  readonly counts: readonly number[]
  readonly sums: readonly number[]
}

export type HealthDayRow = Row & {
  readonly task_key: string
  /** in days since 1970 */
  readonly day: number
  readonly runs: number
  /** the number of ends by code, `succeeded` included */
  readonly ends: { readonly [code: string]: number }
  /** the number of ends that count for health, and of the good ones among them */
  readonly telling: number
  readonly good: number
  /** milliseconds from claim to end */
  readonly ms: Histogram
  /** items of runs that succeeded */
  readonly items: Histogram
  /** null without items */
  readonly fill: DayFill | null
  /** the last end of the canary's runs; null without one */
  readonly canary: CanaryEnd | null
}

export const healthDays: Projection<
  HealthDayRow,
  'RunSucceeded' | 'RunFailed' | 'RunErrored' | 'RunExpired'
> = {
  name: 'health_days',
  version: 1,
  types: ['RunSucceeded', 'RunFailed', 'RunErrored', 'RunExpired'],
  key: ({ event, meta }) => `${event.data.task_key}:${dayOf(meta.at) % KEPT_DAYS}`,
  apply(row, { event, meta }) {
    const day = dayOf(meta.at)
    // An event that arrives 90 days late.
    if (row && day < row.day) return row
    const { task_key, code, ms, fill } = event.data
    const before = row?.day === day ? row : emptyRow(task_key, day)
    const end = code ?? 'succeeded'
    const isCanary = meta.account_id === CANARY_ACCOUNT_ID
    const telling = tellingOf(code, meta.at)
    const canary = isCanary && telling ? canaryEnd(before.canary, telling) : before.canary
    const counts = telling !== undefined && !(isCanary && canary?.pending)
    return {
      ...before,
      runs: before.runs + 1,
      ends: { ...before.ends, [end]: (before.ends[end] ?? 0) + 1 },
      telling: before.telling + (counts ? 1 : 0),
      good: before.good + (counts && telling.good ? 1 : 0),
      ms: ms === undefined ? before.ms : counted(before.ms, ms),
      items: fill ? counted(before.items, fill.items) : before.items,
      fill: fill && fill.items > 0 ? withShares(before.fill, fill) : before.fill,
      canary,
    }
  },
  indexes: { by_task: ['task_key', 'day'] },
}

const emptyRow = (task_key: string, day: number): HealthDayRow => ({
  task_key,
  day,
  runs: 0,
  ends: {},
  telling: 0,
  good: 0,
  ms: {},
  items: {},
  fill: null,
  canary: null,
})

function withShares(before: DayFill | null, { schema, shares }: RunFill): DayFill {
  const { counts = [], sums = [] } = before?.schema === schema ? before : {}
  return {
    schema,
    counts: shares.map((share, i) => (counts[i] ?? 0) + (share === null ? 0 : 1)),
    sums: shares.map((share, i) => (sums[i] ?? 0) + (share ?? 0)),
  }
}
