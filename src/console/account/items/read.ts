/**
 * What a run's pages read of its result. Waiting for a remote store does not count against the time of a request.
 *
 * @module
 */
import type { AdmittedRun } from '../../../domain/run.ts'
import type { ItemsPage } from '../../../runs/items/page.ts'
import type { ResultRest } from '../../../runs/result.ts'
import type { AccountVisitor } from '../../visitor.ts'

/** Items of a run: all, or those so far while it works. @param from the number of items before them */
export const itemsPage = (
  { deps, call }: AccountVisitor,
  run: AdmittedRun,
  from: number,
  limit: number,
): Promise<ItemsPage> => call.time.except(deps.runs.itemsPage(run, from, limit))

/** What the result of a run has beside its items. */
export const resultRest = ({ deps, call }: AccountVisitor, run: AdmittedRun): Promise<ResultRest> =>
  call.time.except(deps.runs.resultRest(run))
