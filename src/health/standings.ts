/**
 * How tasks stand now.
 *
 * @module
 */
import { type HealthRow, health } from '../../projections/health.ts'
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import { usualShare } from '../domain/health/baseline.ts'
import { type Drift, documentedOf, driftOf } from '../domain/health/drift.ts'
import { type Health, standingAt, withDrift } from '../domain/health/standing.ts'
import { unlessAway } from '../log/away.ts'
import type { ReadModels } from '../read/read-models.ts'

export type HealthReads = {
  readonly readModels: ReadModels
  /** milliseconds since 1970 */
  readonly now: () => number
}

export type Standing = {
  readonly task: CatalogueTask
  /** undefined before the first end */
  readonly row: HealthRow | undefined
  readonly health: Health
  /**
   * RFC 3339; null before the first end. It is the time of an end, which may be of another account's run: so that nobody
   * can tell which, it is rounded down to the minute.
   */
  readonly since: string | null
  /** the fields that lost their values, whatever the health; empty without any */
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
  const at = now()
  return tasks.map((task, i) => standingOf(rows[i], task, at))
}

function standingOf(row: HealthRow | undefined, task: CatalogueTask, now: number): Standing {
  if (!row) return { task, row, health: 'unknown', since: null, drift: [] }
  const drift = driftOf(row.fill, task, row.announced?.drift ?? [])
  const latest = row.ends.at(-1)?.at ?? row.health_since
  const standing = withDrift(standingAt(row, row.ends, now), drift, row.announced, latest)
  return { task, row, health: standing.health, since: startOfMinute(standing.health_since), drift }
}

const MINUTE_MS = 60_000
const startOfMinute = (at: string): string =>
  new Date(Math.floor(Date.parse(at) / MINUTE_MS) * MINUTE_MS).toISOString()

/** Reads how tasks stand now. They are `unknown` while the read models are unavailable. */
export const standingsUnlessAway = async (
  reads: HealthReads,
  tasks: readonly CatalogueTask[],
): Promise<readonly Standing[]> =>
  (await unlessAway(standingsOf(reads, tasks))) ??
  tasks.map((task) => standingOf(undefined, task, reads.now()))

/** A share of items with a value by field, from 0 to 1. */
export type Shares = { readonly [field: string]: number }

/**
 * The usual fill of a task's fields: the median of its days with 20 runs or more, and before there is one, that of its
 * recordings.
 *
 * @param row of the task, if it has one
 * @returns null when neither is known of any field
 */
export function baselineOf(row: HealthRow | undefined, task: CatalogueTask): Shares | null {
  const history = row?.fill?.schema === task.schema ? row.fill : null
  const known = task.fields.flatMap((field, i) => {
    const share = usualShare(history, i, documentedOf(task.documentedFill, field))
    return share === null ? [] : [[field, share] as const]
  })
  return known.length > 0 ? Object.fromEntries(known) : null
}
