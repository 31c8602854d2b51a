/**
 * How the items of a run are filled, as its terminal event says it.
 *
 * @module
 */
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import { type Fill, sharesOf } from '../catalogue/filling.ts'
import type { RunFill } from '../domain/run-events.ts'

/** Whether the counts are about the task's fields: our code in the child counts them, but a plugin may forge them. */
export const areOf = ({ fields }: CatalogueTask, { possible, filled }: Fill): boolean =>
  possible.length === fields.length && filled.length === fields.length

/**
 * @param fill the counts of the run's process; null if it counted no items
 * @param count of the items that arrived from it
 * @returns undefined when these do not fit together
 */
export function runFillOf(
  task: CatalogueTask,
  { fingerprint }: { readonly fingerprint: string },
  fill: Fill | null,
  count: number,
): RunFill | undefined {
  const about = { schema: task.schema, input: fingerprint.slice(0, 8) }
  if (!fill) return count === 0 ? { ...about, items: 0, shares: [] } : undefined
  return areOf(task, fill) ? { ...about, items: fill.items, shares: sharesOf(fill) } : undefined
}
