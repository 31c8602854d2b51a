/**
 * The days of a task: how its runs ended, and how their items were filled.
 *
 * @module
 */
import { DAY_MS, type HealthDayRow, healthDays } from '../../projections/health-days.ts'
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import type { CanaryEnd } from '../domain/health/canary.ts'
import { medianOf } from '../domain/health/histogram.ts'
import type { HealthReads, Shares } from './standings.ts'

/** One day, UTC, over all accounts. */
export type Day = {
  /** `2026-11-29` */
  readonly day: string
  /** the number of ended runs, without cancelled ones */
  readonly runs: number
  /** the share of good ends among those that count for health, 0 to 1; null without one */
  readonly success: number | null
  /** the share of runs that the source blocked, 0 to 1 */
  readonly blocked: number
  /** the median time from claim to end in milliseconds; null when unknown */
  readonly p50_ms: number | null
  /** the median number of items of a run that succeeded; null without one */
  readonly items: number | null
  /** the mean share of items with a value by field, over the runs of the day; without fields that no item could have */
  readonly fill: Shares
  /** the number of runs by error code, or `succeeded` */
  readonly ends: { readonly [code: string]: number }
  /** the last end of the canary's runs on that day; null without one */
  readonly canary: CanaryEnd | null
}

/**
 * The last days of a task, today included, oldest first. Days without runs are left out.
 *
 * @param days how many, 1 to 90
 * @throws {StoreUnavailable}
 */
export async function daysOf(
  { readModels, now }: HealthReads,
  task: CatalogueTask,
  days: number,
): Promise<readonly Day[]> {
  const today = Math.floor(now() / DAY_MS)
  const rows = await readModels.list(healthDays, 'by_task', {
    equals: [task.key],
    after: today - days,
    order: 'ascending',
    limit: days,
  })
  return rows.map((row) => dayOfRow(row, task))
}

function dayOfRow(row: HealthDayRow, task: CatalogueTask): Day {
  const { day, runs, telling, good, ms, items, ends, canary } = row
  return {
    day: new Date(day * DAY_MS).toISOString().slice(0, 10),
    runs,
    success: telling === 0 ? null : good / telling,
    blocked: (ends['source-blocked'] ?? 0) / runs,
    p50_ms: medianOf(ms),
    items: medianOf(items),
    fill: fillOf(row, task),
    ends,
    canary,
  }
}

/** The fields of another version of the plugin are not known any more. */
function fillOf({ fill }: HealthDayRow, { schema, fields }: CatalogueTask): Shares {
  if (fill?.schema !== schema) return {}
  const { counts, sums } = fill
  const known = fields.flatMap((field, i) => {
    const count = counts[i] ?? 0
    return count > 0 ? [[field, (sums[i] ?? 0) / count / 1000] as const] : []
  })
  return Object.fromEntries(known)
}
