/**
 * The exit of a run: chosen when an attempt begins, kept by all of its requests, pages and downloads, and changed when a
 * run without a login can't go on with it.
 *
 * A run starts over at another exit if its source blocked the one it has, or if that failed: twice at most over all
 * attempts, never with a login, never when it goes out directly, never after a charge by block. Step by step:
 *
 * 1. An execution ends with `source-blocked`, or because its exit failed. The exit rests from now on. It does not if the
 *    plugin made no request: then it was refused in an earlier run, as its memory says, and this one says nothing new.
 * 2. Its items and files are discarded, and `RunProgressed` is appended with `exit_changes`, one more than before. The
 *    run waits for this append.
 * 3. The task is executed from the start, at another exit.
 *
 * So the run's events never name fewer changes than were made. After a crash the next attempt chooses an exit anew. If it
 * happened before the append, the run has as many changes left as before, as if its execution had been cut off. If it
 * happened afterwards, there is one less, whether or not the other exit was used. An append that is refused means that
 * the run has ended or belongs to another attempt: this one stops. Labels of the exits that were tried are kept in memory
 * alone, since the rests keep the next attempt from the same ones.
 *
 * @module
 */
import { type AccountId, loginStream } from '../domain/ids.ts'
import type { Progress } from '../domain/run.ts'
import type { Exit } from '../net/exits/choose.ts'
import type { ExitOutcome, Exits } from '../net/exits/exits.ts'
import { type Failure, failureFrom } from '../net/exits/rest.ts'
import { type ExitUse, placeOf } from '../net/exits/uses.ts'
import type { Usage } from '../net/transport/usage.ts'
import { EXIT_NOTICES } from '../runs/exit-notices.ts'
import type { ExecutionEnd } from './process/execution-end.ts'
import type { Job } from './process/protocol.ts'

export type RunExitDeps = {
  readonly exits: Pick<Exits, 'forRun' | 'forLogin' | 'hasOther' | 'ended'>
  /** called with what each execution of a run used; default: it is not counted */
  readonly onExitUsed?: ((use: ExitUse) => void) | undefined
}

/** The run, and what it reads and writes of it. */
export type RunWithExit = {
  readonly run: { readonly accountId: AccountId; readonly exitChanges?: number | undefined }
  /** undefined: no plugin provides it any more, and the run is not executed */
  readonly task: { readonly source: { readonly name: string } } | undefined
  /** `state`: undefined without a login */
  readonly login: { readonly state: string | undefined }
  readonly charges: { mayHaveBlocks(): Promise<boolean> }
  readonly collected: { reported: Progress | undefined; notice: string | null }
  readonly lease: { writeExitChanges(exitChanges: number): Promise<void> }
  readonly log: { otherExit(why: Failure, label: string | undefined): void }
}

const MOST_CHANGES = 2

export class RunExit {
  /** null: direct */
  private exit: Exit | null = null
  /** labels */
  private readonly tried: string[] = []
  private changes: number
  /** why the run must start over at another exit after its last execution; undefined: it must not, or can't */
  failure: Failure | undefined

  constructor(
    private readonly deps: RunExitDeps,
    private readonly parts: RunWithExit,
  ) {
    this.changes = parts.run.exitChanges ?? 0
  }

  /** For the run's process. */
  get job(): Job['exit'] {
    return this.exit && { url: this.exit.url, isSession: this.exit.isSession }
  }

  /** Chooses the exit of the next execution. Never throws. */
  async choose(): Promise<void> {
    const { run, login } = this.parts
    this.exit =
      login.state === undefined
        ? await this.deps.exits.forRun(this.source, this.tried)
        : this.deps.exits.forLogin(this.source, loginStream(run.accountId, this.source))
    if (this.exit) this.tried.push(this.exit.label)
  }

  /** An execution has ended: its exit rests, or rests no more. @param usage of the execution */
  async ended(end: ExecutionEnd, usage: Readonly<Usage>): Promise<void> {
    const { exit, source } = this
    const { exits, onExitUsed } = this.deps
    const failure = failureOf(end)
    const outcome = outcomeOf(end, failure)
    // A failed exit was asked, also if no request is counted: those of pages are when they leave.
    const wasAsked = usage.requests > 0 || (failure !== undefined && failure !== 'blocked')
    this.failure = undefined
    if (wasAsked) onExitUsed?.({ ...placeOf(exit), source, outcome: outcome ?? 'other', ...usage })
    if (!exit) return
    const restWritten = wasAsked && outcome ? exits.ended(exit, source, outcome, reasonOf(end)) : undefined
    // A template may be tried again: its rest alone leads the run past a gateway that failed.
    if (failure) await restWritten
    if (failure && (await this.hasOther())) this.failure = failure
  }

  /**
   * Writes that the run, whose items were discarded, starts over because of the {@link failure}, and chooses another
   * exit. Idempotent if it throws.
   *
   * @throws as {@link import('./lease.ts').Lease.handle}
   */
  async change(): Promise<void> {
    const { failure } = this
    if (!failure) throw new TypeError('the exit has not failed')
    const { collected, lease, log } = this.parts
    collected.reported = undefined
    collected.notice = EXIT_NOTICES[failure]
    await lease.writeExitChanges(this.changes + 1)
    this.changes++
    log.otherExit(failure, this.exit?.label)
    await this.choose()
  }

  private get source(): string {
    return this.parts.task?.source.name ?? ''
  }

  private async hasOther(): Promise<boolean> {
    const { login, charges } = this.parts
    if (login.state !== undefined || this.changes >= MOST_CHANGES) return false
    return this.deps.exits.hasOther(this.source, this.tried) && !(await charges.mayHaveBlocks())
  }
}

/** Why the execution might have ended otherwise at another exit. */
function failureOf(end: ExecutionEnd): Failure | undefined {
  if (end.kind === 'died' || end.end.status !== 'failed') return undefined
  const { code, exitFailure } = end.end
  if (exitFailure) return failureFrom(exitFailure.where)
  return code === 'source-blocked' ? 'blocked' : undefined
}

/** What the end of an execution says about its exit. Undefined: nothing. */
const outcomeOf = (end: ExecutionEnd, failure: Failure | undefined): ExitOutcome | undefined =>
  failure ?? (end.kind === 'completed' && end.end.status === 'succeeded' ? 'good' : undefined)

/** For the log: why the exit failed, or what the source answered. */
function reasonOf(end: ExecutionEnd): string | undefined {
  if (end.kind === 'died' || end.end.status !== 'failed') return undefined
  return end.end.exitFailure?.reason ?? end.end.detail
}
