/**
 * The days of a task: how its runs ended, and how their items were filled.
 *
 * @module
 */
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import type { HealthReads, Shares } from './standings.ts'

/** One day, UTC, over all accounts. */
export type Day = {
  /** `2026-11-29` */
  readonly day: string
  /** the number of ended runs */
  readonly runs: number
  /** the share of good ends among those that count for health; null without one */
  readonly success: number | null
  /** the share of runs that the source blocked */
  readonly blocked: number
  /** the median time from claim to end in milliseconds; null when unknown */
  readonly p50_ms: number | null
  /** the median number of items of a run that succeeded; null without one */
  readonly items: number | null
  /** the share of items with a value by field; empty without items */
  readonly fill: Shares
  /** the number of runs by error code, or `succeeded` */
  readonly ends: { readonly [code: string]: number }
  /** the last end of the canary's runs on that day; null without one */
  readonly canary: { readonly at: string; readonly good: boolean; readonly code: string | null } | null
}

/**
 * The last days of a task, today included, oldest first. Days without runs are left out.
 *
 * @param days how many, 1 to 90
 * @throws {StoreUnavailable}
 */
export async function daysOf(
  _reads: HealthReads,
  _task: CatalogueTask,
  _days: number,
): Promise<readonly Day[]> {
  return []
}
