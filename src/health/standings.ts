/**
 * How tasks stand now.
 *
 * @module
 */
import { type HealthRow, health } from '../../projections/health.ts'
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import type { Drift } from '../domain/health/drift.ts'
import { type Health, standingAt } from '../domain/health/standing.ts'
import { unlessAway } from '../log/away.ts'
import type { ReadModels } from '../read/read-models.ts'

export type HealthReads = {
  readonly readModels: ReadModels
  /** milliseconds since 1970 */
  readonly now: () => number
}

export type Standing = {
  readonly task: CatalogueTask
  /** undefined before the first end that counts */
  readonly row: HealthRow | undefined
  readonly health: Health
  /** RFC 3339; null before the first end that counts */
  readonly since: string | null
  /** the fields that lost their values; empty without any */
  readonly drift: readonly Drift[]
}

/**
 * Reads how tasks stand now, in one read: one standing for each task, in their order.
 *
 * @throws {StoreUnavailable}
 */
export async function standingsOf(
  { readModels, now }: HealthReads,
  tasks: readonly CatalogueTask[],
): Promise<readonly Standing[]> {
  const rows = await readModels.getMany(
    health,
    tasks.map(({ key }) => key),
  )
  return tasks.map((task, i) => {
    const row = rows[i]
    if (!row) return { task, row, health: 'unknown', since: null, drift: [] }
    const standing = standingAt(row, row.ends, now())
    return { task, row, health: standing.health, since: standing.health_since, drift: [] }
  })
}

/** Reads how tasks stand now. They are `unknown` while the read models are unavailable. */
export const standingsUnlessAway = async (
  reads: HealthReads,
  tasks: readonly CatalogueTask[],
): Promise<readonly Standing[]> =>
  (await unlessAway(standingsOf(reads, tasks))) ??
  tasks.map((task) => ({ task, row: undefined, health: 'unknown', since: null, drift: [] }))

/** A share of items with a value by field, from 0 to 1. */
export type Shares = { readonly [field: string]: number }

/**
 * The usual fill of a task's fields: the median of its days with 20 runs or more, and before there is one, that of its
 * recordings.
 *
 * @param row of the task, if it has one
 * @returns null when neither is known
 */
export function baselineOf(_row: HealthRow | undefined, task: CatalogueTask): Shares | null {
  const { documentedFill } = task
  if (!documentedFill) return null
  return Object.fromEntries(
    Object.entries(documentedFill.fields).map(([field, share]) => [field, share / 1000]),
  )
}
