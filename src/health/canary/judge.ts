/**
 * How a run of the canary ended.
 *
 * @module
 */
import { CANARY_ACCOUNT_ID } from '../../domain/health/canary.ts'
import { tellingOf } from '../../domain/health/ends.ts'
import { type EndedRun, isEnded } from '../../domain/run.ts'
import type { Admit } from '../../runs/admit.ts'
import { keyOf, type Probe } from './probes.ts'

/** For how many days an input is known to have had items. */
const KNOWN_DAYS = 7

/** How many items a run has; a run that failed may have some too. */
export const itemsOf = ({ result }: Pick<EndedRun, 'result'>): number => result?.item_count ?? 0

/**
 * Whether a run is repeated before it counts: its end is bad for the task's health, or it has no items although its
 * input always had some. So an input that is gone, or a page that is read as empty, is noticed too.
 *
 * @param day days since 1970
 * @throws {StoreUnavailable}
 */
export async function isBad(
  admit: Pick<Admit, 'find'>,
  run: EndedRun,
  probe: Probe,
  day: number,
): Promise<boolean> {
  // Somebody cancelled it: that says nothing.
  if (run.status === 'cancelled') return false
  const telling = tellingOf(run.code, run.finishedAt)
  if (!telling) return false
  return !telling.good || (itemsOf(run) === 0 && (await hasItems(admit, probe, day)))
}

/** Whether an input has items: a plugin declares only such inputs for the canary, and others had some lately. */
async function hasItems(admit: Pick<Admit, 'find'>, probe: Probe, day: number): Promise<boolean> {
  // The result of some tasks has no items.
  if (probe.task.columns.length === 0) return false
  if (probe.number > 0) return true
  for (let before = day - 1; before >= day - KNOWN_DAYS; before--) {
    const earlier = await admit.find(CANARY_ACCOUNT_ID, keyOf(before, probe))
    if (earlier && isEnded(earlier) && itemsOf(earlier) > 0) return true
  }
  return false
}
