/**
 * Refunds of a run's charges: made at once when a command ends the run, or by the reconciler if that was cut off. A
 * refund is idempotent, because the account's stream records earlier refunds.
 *
 * @module
 */
import type { Ledger } from '../accounts/ledger.ts'
import type { AccountId, RunId } from '../domain/ids.ts'
import { isEnded, type RunState } from '../domain/run.ts'
import type { Cause } from '../log/execute.ts'

/**
 * Refunds all charges of an ended run that its terminal event does not keep. This includes charges unknown to that
 * event, such as the last block paid for by a lost worker. A charge without a run is refunded in full. While the run is
 * under way, nothing is refunded.
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
