/**
 * What the two parts of an attempt, executing and ending, share.
 *
 * @module
 */
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import type { LeasedRun } from '../domain/run.ts'
import type { RunLogin } from '../login/run-login.ts'
import type { BlockCharges } from './block-charges.ts'
import type { Collected } from './collected.ts'
import type { Lease } from './lease.ts'
import type { RunLog } from './run-log.ts'
import type { TotalUsage } from './total-usage.ts'

export type RunParts = {
  /** the run after its claim */
  readonly run: LeasedRun
  /** undefined when no plugin provides it any more */
  readonly task: CatalogueTask | undefined
  readonly lease: Lease
  readonly charges: BlockCharges
  readonly login: RunLogin
  readonly collected: Collected
  readonly usage: TotalUsage
  readonly log: RunLog
}
