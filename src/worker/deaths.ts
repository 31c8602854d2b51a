/**
 * How executions of runs end, by their plugin or by the death of their process.
 *
 * @module
 */
import type { Finding } from './ending.ts'
import type { RunEnd } from './process/protocol.ts'

/** How a child died while it had a run. `lost`: from outside, and the run is not to blame. */
export type Death = 'defect' | 'out-of-memory' | 'lost' | 'killed'

/** How an execution ended: as the plugin did, or by the child's death. */
export type Ended =
  | ({ readonly kind: 'end' } & RunEnd)
  | {
      readonly kind: 'died'
      readonly cause: Death
      /** for the log */
      readonly reason: string
      /** the child had no run before, so that only this one can be to blame */
      readonly fresh: boolean
    }

/** Whether a child's death proves nothing about its run: others had been there before. */
export const isDoubtful = ({ cause, fresh }: Ended & { readonly kind: 'died' }): boolean =>
  !fresh && (cause === 'defect' || cause === 'out-of-memory')

/**
 * What a run's end is by how its execution ended; undefined when that says nothing: the plugin was stopped, or lost with
 * its process.
 *
 * @param errored a fault of ours as an end; its reason is for the log
 */
export function findingOf(
  ended: Ended,
  errored: (code: string, reason: string) => Finding,
): Finding | undefined {
  if (ended.kind === 'died') {
    const { cause, reason } = ended
    return cause === 'defect' || cause === 'out-of-memory' ? errored(cause, reason) : undefined
  }
  const { end } = ended
  if (end.status === 'stopped') return undefined
  return end.status === 'errored' ? errored(end.code, end.reason) : end
}
