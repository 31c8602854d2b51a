/**
 * Commands to runs, and what follows from an end: the refund. Used by the worker, by a client's cancellation and by
 * settle; all of them may do the same twice without harm.
 *
 * @module
 */
import { type RunId, runStream } from '../domain/ids.ts'
import {
  type AdmittedRun,
  decideRun,
  isAdmitted,
  isEnded,
  type RunCommand,
  type RunRefusal,
  type RunState,
} from '../domain/run.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { EventLog } from '../log/event-log.ts'
import { type Cause, type Executed, execute, type Loaded } from '../log/execute.ts'
import { runFold } from '../log/folds.ts'

/** A command that the run's state does not allow; see {@link RunRefusal}. */
export class RunRefused extends Error {
  override readonly name = 'RunRefused'
  constructor(readonly refusal: RunRefusal) {
    super(`the run is ${refusal}`)
  }
}

/** Who gave the command. */
export type CommandCause = {
  /** the id of the request or event that led to it, or the name of who gave it */
  readonly causationId: string
  /** milliseconds since 1970 */
  readonly now: number
}

export class RunCommands {
  constructor(
    private readonly log: EventLog,
    private readonly ledger: Ledger,
  ) {}

  /**
   * Runs a command; when it ends the run, the credits that come back are refunded before it resolves.
   *
   * @param known the run as the caller knows it, which saves a read
   * @throws {RunRefused} when the state does not allow it
   */
  async give(
    id: RunId,
    command: RunCommand,
    cause: CommandCause,
    known?: Loaded<RunState>,
  ): Promise<Executed<RunState>> {
    const executed = await execute(
      this.log,
      runStream(id),
      runFold,
      (state) => {
        const decision = decideRun(command, state)
        if ('refused' in decision) throw new RunRefused(decision.refused)
        return decision
      },
      (state) => causeOf(command, state, cause),
      known,
    )
    if (executed.events.length > 0 && isAdmitted(executed.state)) await this.refund(executed.state, cause)
    return executed
  }

  /** Gives back what the run's end says; nothing when it was given back before. */
  async refund(run: AdmittedRun, cause: CommandCause): Promise<void> {
    if (!isEnded(run) || run.refunded === 0) return
    const { accountId, runId, correlationId, refunded: total, status } = run
    await this.ledger.execute(
      { type: 'refund', accountId, runId, total, reason: status },
      { ...cause, accountId, correlationId },
    )
  }
}

function causeOf(command: RunCommand, state: RunState, cause: CommandCause): Cause {
  if (isAdmitted(state)) return { ...cause, accountId: state.accountId, correlationId: state.correlationId }
  if (command.type === 'close')
    return { ...cause, accountId: command.accountId, correlationId: cause.causationId }
  throw new RunRefused('none')
}
