/**
 * What comes back of a run's charges: at once when a command ended the run, and by the reconciler where that was cut off.
 * How often it is done is the same, since the account's stream says what was given back before.
 *
 * @module
 */
import type { Ledger } from '../accounts/ledger.ts'
import type { AccountId, RunId } from '../domain/ids.ts'
import { isEnded, type RunState } from '../domain/run.ts'
import type { Cause } from '../log/execute.ts'

/**
 * Gives back all that was charged for a run that has ended and that its end does not keep, also what its end did not
 * know of: the block that a lost worker paid for last. All of it where the charge had no run. Nothing while the run is
 * under way.
 */
export async function refund(
  ledger: Ledger,
  run: RunState,
  { runId, accountId }: { readonly runId: RunId; readonly accountId: AccountId },
  cause: Pick<Cause, 'actor' | 'causationId'>,
): Promise<void> {
  if (run.status !== 'closed' && !isEnded(run)) return
  const [keep, reason, correlationId] =
    run.status === 'closed'
      ? [0, 'not-admitted', cause.causationId]
      : [run.charged - run.refunded, run.status, run.correlationId]
  const command = { type: 'refund', accountId, runId, keep, reason } as const
  await ledger.execute(command, { ...cause, accountId, correlationId })
}
