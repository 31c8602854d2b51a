/**
 * How an execution of a run in a process ends: its task ended, or its process died, or the service ended the run without
 * its code.
 *
 * @module
 */
import type { Completed } from './from-child.ts'

/** Why a process died. `lost`: an outside cause; `killed`: by the service, for a reason that is no fault. */
export type CauseOfDeath = 'defect' | 'out-of-memory' | 'lost' | 'killed'

/** Whether a run may be to blame. */
export const isFault = (cause: CauseOfDeath): cause is 'defect' | 'out-of-memory' =>
  cause === 'defect' || cause === 'out-of-memory'

export type ExecutionEnd =
  | ({ readonly kind: 'completed' } & Completed)
  | {
      readonly kind: 'died'
      readonly cause: CauseOfDeath
      /** for the log */
      readonly reason: string
      /** the process executed no other run, so only this one can be to blame */
      readonly alone: boolean
    }
