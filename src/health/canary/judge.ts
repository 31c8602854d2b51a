/**
 * How a run of the canary ended.
 *
 * @module
 */
import { tellingOf } from '../../domain/health/standing.ts'
import type { EndedRun } from '../../domain/run.ts'

/** How many items a run has; a run that failed may have some too. */
export const itemsOf = ({ result }: Pick<EndedRun, 'result'>): number => result?.item_count ?? 0

/**
 * Whether a run is repeated before it counts: its end is bad for the task's health, or it has no items although its
 * input had some before. So an input that is gone, or a page that is read as empty, is noticed too.
 *
 * @param hadItems whether earlier runs of this input had items; called only when it matters
 */
export async function isBad(run: EndedRun, hadItems: () => Promise<boolean>): Promise<boolean> {
  // Somebody cancelled it: that says nothing.
  if (run.status === 'cancelled') return false
  const telling = tellingOf(run.code, run.finishedAt)
  if (!telling) return false
  return !telling.good || (itemsOf(run) === 0 && (await hadItems()))
}
