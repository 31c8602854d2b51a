/**
 * How the tasks of sources stand.
 *
 * @module
 */
import { type HealthRow, health } from '../../../../projections/health.ts'
import type { CatalogueTask } from '../../../catalogue/catalogue.ts'
import { type Health, standingAt } from '../../../domain/health/standing.ts'
import type { ReadModels } from '../../../read/read-models.ts'

export type TaskStanding = {
  readonly task: CatalogueTask
  /** undefined before the first end that counts */
  readonly row: HealthRow | undefined
  readonly health: Health
  /** RFC 3339; null before the first end that counts */
  readonly since: string | null
}

/** Reads how tasks stand now, in one read. */
export async function standingsOf(
  { readModels, now }: { readonly readModels: ReadModels; readonly now: () => number },
  tasks: readonly CatalogueTask[],
): Promise<readonly TaskStanding[]> {
  const rows = await readModels.getMany(
    health,
    tasks.map(({ key }) => key),
  )
  return tasks.map((task, i) => {
    const row = rows[i]
    if (!row) return { task, row, health: 'unknown', since: null }
    const standing = standingAt(row, row.ends, now())
    return { task, row, health: standing.health, since: standing.health_since }
  })
}
