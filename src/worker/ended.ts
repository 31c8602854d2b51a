/**
 * What is told of runs that this process ended.
 *
 * @module
 */
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import { isAdmitted, isEnded, type RunState } from '../domain/run.ts'
import type { RunEnded, RunItems } from '../metrics.ts'
import type { Fill } from './protocol.ts'

export type OnEnded = (ended: RunEnded) => void
export type OnItems = (items: RunItems) => void

/** Tells of a run, if it has ended. */
export function tellEnd(onEnded: OnEnded | undefined, state: RunState | undefined): void {
  if (!onEnded || !state || !isAdmitted(state) || !isEnded(state)) return
  const { taskKey: task, status: end, code, startedAt, finishedAt } = state
  const seconds = startedAt === null ? undefined : (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000
  onEnded({ task, end, code, seconds })
}

/** Tells of the items that a run brought, if it brought any. */
export function tellItems(
  onItems: OnItems | undefined,
  task: CatalogueTask | undefined,
  fill: Fill | null,
): void {
  if (task && fill) onItems?.({ task: task.key, columns: task.columns, ...fill })
}
