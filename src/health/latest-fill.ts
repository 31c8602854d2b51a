/**
 * How the last runs of a task filled the fields of their items.
 *
 * @module
 */
import type { HealthRow } from '../../projections/health.ts'
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import { shareOf } from '../domain/health/inputs.ts'
import type { Shares } from './standings.ts'

/**
 * The mean share of each field over the last runs that succeeded, at most 20, as the drift is judged: runs that say
 * nothing about a field are left out. Fields that no run says anything about are missing.
 *
 * @param row of the task, if it has one
 */
export function latestFill(row: HealthRow | undefined, { schema, fields }: CatalogueTask): Shares {
  const history = row?.fill
  if (history?.schema !== schema) return {}
  const inputs = new Map(history.inputs.map((input) => [input[0], input]))
  const known = fields.flatMap((field, i) => {
    const shares = history.runs.flatMap((run) => shareOf(run, i, inputs.get(run[0])) ?? [])
    const sum = shares.reduce((total, share) => total + share, 0)
    return shares.length > 0 ? [[field, sum / shares.length / 1000] as const] : []
  })
  return Object.fromEntries(known)
}
