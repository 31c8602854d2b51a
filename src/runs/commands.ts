/**
 * Commands to runs, with the refund after a run's end. The worker, a client's cancellation and the reconciler issue
 * them. Commands are idempotent.
 *
 * @module
 */
import type { Accounts } from '../accounts/accounts.ts'
import { type AccountId, type RunId, runStream } from '../domain/ids.ts'
import {
  type EndedRun,
  isAdmitted,
  isEnded,
  type RunCommand,
  type RunState,
  refundOf,
  runDecider,
} from '../domain/run.ts'
import type { EventLog } from '../log/event-log.ts'
import { type Cause, type Executed, type ExecuteOptions, execute, type Loaded, load } from '../log/execute.ts'
import { Refused } from '../log/refused.ts'

/** The cause of a command. The account and the correlation id come from the run. */
export type CommandCause = Pick<Cause, 'actor' | 'causationId' | 'now'>

export class RunCommands {
  /** @param onEnded called with each run that a command of this process ended */
  constructor(
    private readonly log: EventLog,
    private readonly accounts: Accounts,
    private readonly onEnded?: (run: EndedRun) => void,
  ) {}

  /**
   * Handles a command. If it ends the run, the refund is made before it resolves.
   *
   * @param known the run as the caller knows it, which saves a read
   * @param options for the append: writes that must be durable with it or before it
   * @throws {Refused} when the run's state does not allow the command
   */
  async handle(
    id: RunId,
    command: RunCommand,
    cause: CommandCause,
    known?: Loaded<RunState>,
    options?: ExecuteOptions,
  ): Promise<Executed<RunState>> {
    const loaded = known ?? (await load(this.log, runStream(id), runDecider))
    const charged = await this.charged(command, loaded.state)
    const handled = await execute(
      this.log,
      runStream(id),
      runDecider,
      charged === undefined ? command : { ...command, charged },
      (state) => causeOf(command, state, cause),
      loaded,
      options,
    )
    const { state, events } = handled
    if (events.length > 0 && isEnded(state)) {
      this.onEnded?.(state)
      if (refundOf(state) > 0) await this.refund(state, state, cause)
    }
    return handled
  }

  /**
   * Refunds all charges of an ended run that its terminal event does not keep: at once when a command ends the run, or
   * by the reconciler if that was cut off. This includes charges unknown to that event, such as the last block paid for
   * by a lost worker. A charge without a run is refunded in full. While the run is under way, nothing is refunded.
   * Idempotent, because the account's stream records earlier refunds.
   */
  async refund(
    run: RunState,
    { runId, accountId }: { readonly runId: RunId; readonly accountId: AccountId },
    cause: Omit<CommandCause, 'now'>,
  ): Promise<void> {
    if (isEnded(run)) {
      const { charged, refunded, status, correlationId } = run
      const command = { type: 'refund', accountId, runId, keep: charged - refunded, reason: status } as const
      await this.accounts.handle(command, { ...cause, accountId, correlationId })
    } else if (run.status === 'closed') {
      const command = { type: 'refund', accountId, runId, keep: 0, reason: 'not-admitted' } as const
      await this.accounts.handle(command, { ...cause, accountId, correlationId: cause.causationId })
    }
  }

  /** The run's charges in the ledger: a lost worker may have paid for a block that the run's events do not mention. */
  private async charged(command: RunCommand, state: RunState): Promise<number | undefined> {
    if (!MAY_END.has(command.type) || !isAdmitted(state) || isEnded(state) || state.attempt === 0)
      return undefined
    return (await this.accounts.credits(state.accountId, state.runId))?.charged
  }
}

/** Commands that may end a run without a report from its worker. */
const MAY_END: ReadonlySet<RunCommand['type']> = new Set(['start', 'hand-back', 'cancel', 'tick'])

function causeOf(command: RunCommand, state: RunState, cause: CommandCause): Cause {
  if (isAdmitted(state)) return { ...cause, accountId: state.accountId, correlationId: state.correlationId }
  if (command.type === 'close')
    return { ...cause, accountId: command.accountId, correlationId: cause.causationId }
  throw new Refused({ refused: 'not-found' })
}
