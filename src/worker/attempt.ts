/**
 * One attempt at one run, from its claim to its end. A process of plugins executes it, and its lease is renewed. The
 * client, a time limit or a shutdown can stop it. It is ended exactly once.
 *
 * @module
 */
import { clock } from '../async/clock.ts'
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import type { LeasedRun, RunState } from '../domain/run.ts'
import { RunLogin, type RunLoginDeps } from '../login/run-login.ts'
import { reasonOf } from '../process/reason.ts'
import { BlockCharges } from './block-charges.ts'
import { Collected } from './collected.ts'
import { type Conclusion, finishRun } from './finish.ts'
import { Lease } from './lease.ts'
import type { Request } from './process/execution.ts'
import { SHARED_MB, SHARED_S } from './process/placement.ts'
import { type ExecutionResult, isFault } from './process/plugin-process.ts'
import type { RunExecution, RunPool } from './process/pool.ts'
import { MAX_RESULT_CHARS } from './process/protocol.ts'
import { RunFiles, type RunFilesDeps } from './run-files.ts'
import { RunLog } from './run-log.ts'
import type { WorkerDeps } from './worker.ts'

export type AttemptDeps = RunLoginDeps &
  RunFilesDeps &
  Pick<WorkerDeps, 'commands' | 'accounts' | 'onItems' | 'onAgain' | 'credentials'> & {
    readonly pool: RunPool
    readonly leaseS: number
  }

/** Why the plugin is stopped. `abandoned`: another worker may hold the run, so this one must no longer write to it. */
type Stop = 'cancel' | 'run-limit' | 'shutdown' | 'abandoned'

/** How long a plugin may take to react to the signal, in milliseconds, before its process is killed. */
const GRACE_MS = { cancel: 4000, 'run-limit': 2000 }

export class Attempt {
  readonly collected = new Collected()
  readonly charges: BlockCharges
  readonly lease: Lease
  readonly login: RunLogin
  private readonly log: RunLog
  private files: RunFiles
  /** the current execution, if any */
  execution: RunExecution | undefined
  private stop: Stop | undefined
  /** how the run ends, regardless of its plugin's outcome */
  private decided: Conclusion | undefined
  /** milliseconds of `clock.monotonic()`, which clock corrections do not affect */
  private killAt = Number.POSITIVE_INFINITY
  private readonly limitAt: number
  private finishing = false
  /** an execution of the run was cut off and may have left an unfinished file */
  private mayResume: boolean

  /**
   * @param run the run after its claim
   * @param revision of the run's stream after its claim
   * @param task undefined when no plugin provides it any more
   * @param causationId id of the claim's event
   * @param onFinish called with the append of the run's end as soon as it is sent
   */
  constructor(
    private readonly deps: AttemptDeps,
    private readonly run: LeasedRun,
    revision: number,
    readonly task: CatalogueTask | undefined,
    causationId: string,
    readonly onFinish: (written: Promise<unknown>) => void,
  ) {
    // A run that starts for the first time has only two events: its request and this claim.
    this.mayResume = revision > 1
    this.limitAt = clock.monotonic() + Date.parse(run.runUntil) - deps.now()
    this.log = new RunLog(deps.logger, run)
    this.lease = new Lease(deps, run, revision, causationId, this)
    this.charges = new BlockCharges(deps, run, task?.task, causationId, this.lease)
    this.login = new RunLogin(deps, run, task, causationId)
    this.files = new RunFiles(deps, run, this)
  }

  /** Executes the run and ends it, unless it is abandoned or handed back. */
  async perform(): Promise<void> {
    const found = await this.execute().catch((error) => this.defect(reasonOf(error)))
    const conclusion = this.decided ?? found
    if (conclusion === undefined && this.stop === undefined) this.abandon('its process was killed')
    // The value changes while the login is kept.
    const isAbandoned = () => this.stop === 'abandoned'
    if (!isAbandoned()) await this.login.keep(conclusion)
    if (isAbandoned()) return
    if (this.stop === 'shutdown' && conclusion === undefined && this.lease.state.status === 'running') {
      this.finishing = true
      await this.lease.persist(() => this.lease.execute({ type: 'hand-back', attempt: this.run.attempt }))
    } else if (this.stop === 'run-limit') await this.finish({ status: 'expired', code: 'run-limit' })
    // The domain decides the status of a cancelled run.
    else await this.finish(conclusion ?? { status: 'failed', code: null, detail: '' })
  }

  /** Does everything that is due. Must be called several times per third of a lease. */
  tick(now: number): void {
    const hasEnded = this.finishing && this.lease.leaseUntil === 0
    if (hasEnded || this.stop === 'abandoned') return
    if (this.lease.isAboutToEnd(now)) {
      this.abandon('the lease could not be renewed')
      return
    }
    if (now >= Date.parse(this.run.runUntil) || clock.monotonic() >= this.limitAt) this.stopFor('run-limit')
    if (clock.monotonic() >= this.killAt)
      this.execution?.kill(`the plugin ignored its signal: ${this.stop ?? 'over a limit'}`)
    if (!this.finishing || this.isHeldUp(now)) this.lease.tick(now)
    void this.files.look()
  }

  /**
   * Whether the end takes long to write, because a store is unavailable. Only then the lease is renewed meanwhile: a
   * renewal competes with the end. A run whose cancellation was requested ends with its lease instead.
   */
  private isHeldUp(now: number): boolean {
    return this.lease.state.status === 'running' && this.lease.isHalfOver(now)
  }

  /** The worker shuts down: the run returns to the queue, unless it is about to end. */
  shutDown(): void {
    this.stop ??= 'shutdown'
    this.execution?.kill('the worker shuts down')
  }

  /** @returns undefined when the plugin was stopped before it ended by itself */
  private async execute(): Promise<Conclusion | undefined> {
    const { task } = this
    if (!task) return this.defect(`no plugin provides the task ${this.run.taskKey}`)
    const body = await this.stored(() => this.deps.artifacts.get(this.run.inputRef))
    if (this.stop) return undefined
    if (!body) return this.defect('the input has expired or was deleted')
    const input = new TextDecoder().decode(body)
    if (!(await this.stored(() => this.login.find()))) return this.stop ? undefined : this.login.missing()
    const isLarge = (task.task.limits?.memory_mb ?? 0) > SHARED_MB || task.runLimitS > SHARED_S
    let lost = 0
    for (let alone: Request['alone'] = isLarge ? 'task' : undefined; ; alone = 'again') {
      const result = await this.once(task, input, alone)
      // Another run in its process, or something outside, may be the cause: it is executed again alone, as if nothing had
      // happened. A run that has lost its process three times waits for the end of its lease.
      const isDoubtful =
        result.kind === 'died' &&
        (result.cause === 'lost' ? ++lost < 3 : !result.alone && result.cause !== 'killed')
      if (!isDoubtful || this.stop || this.decided) return this.found(result)
      this.log.alone(result.reason)
      this.deps.onAgain?.(task.source.name)
      this.startOver()
    }
  }

  /** Discards the items and files so far, which do not count toward the limits either. */
  private startOver(): void {
    this.collected.clear()
    this.files = new RunFiles(this.deps, this.run, this)
  }

  /** Reads from a store until the run is stopped. If it stays unavailable, abandons the run. @throws any other error */
  private async stored<T>(ask: () => Promise<T>): Promise<T | undefined> {
    const found = await this.lease.persist(
      async () => ({ value: await ask() }),
      () => this.stop === undefined,
    )
    if (!found && this.stop === undefined) this.abandon('a store is unavailable')
    return found?.value
  }

  private async once(
    { task, module, source }: CatalogueTask,
    input: string,
    alone: Request['alone'],
  ): Promise<ExecutionResult> {
    const { runId, accountId, runUntil, taskKey } = this.run
    const { job: login, state } = this.login
    const execution = this.deps.pool.execute({
      job: {
        ...{ runId, module, taskKey, input, until: Date.parse(runUntil), login },
        credentials: this.deps.credentials?.get(source.name),
      },
      account: accountId,
      memoryMb: task.limits?.memory_mb ?? SHARED_MB,
      source,
      state,
      alone,
      mayResume: this.mayResume,
      hear: (said) => this.hear(said),
    })
    this.execution = execution
    if (this.stop) execution.kill(`stopped before it began: ${this.stop}`)
    const result = await execution.result
    this.execution = undefined
    this.mayResume ||= result.kind === 'died'
    this.login.learn(execution.changes)
    return result
  }

  /** The conclusion of an execution; undefined when its plugin was stopped, or was lost with its process. */
  private found(result: ExecutionResult): Conclusion | undefined {
    if (result.kind === 'died') {
      if (result.cause === 'lost') this.abandon(result.reason)
      return isFault(result.cause) ? this.errored(result.cause, result.reason) : undefined
    }
    this.collected.add(result)
    const { end, fill, skipped = 0 } = result
    this.log.read(result)
    // A list of another length was not counted by our code in the child.
    if (this.task && fill?.filled.length === this.task.columns.length)
      this.deps.onItems?.({ task: this.task.key, columns: this.task.columns, skipped, ...fill })
    if (end.status === 'stopped') return undefined
    return end.status === 'errored' ? this.errored(end.code, end.reason) : end
  }

  /** The end of a run by our own fault; the reason is logged. */
  defect(reason: string): Conclusion {
    return this.errored('defect', reason)
  }

  private errored(code: string, reason: string): Conclusion {
    this.log.errored(code, reason)
    return { status: 'errored', code }
  }

  private hear(said: Parameters<Request['hear']>[0]): void {
    switch (said.type) {
      case 'items':
        this.collected.add(said)
        // Our own code in the child would have ended the run before this.
        if (this.collected.total > MAX_RESULT_CHARS)
          this.conclude(this.defect('its process sent more items than a run may return'))
        return
      case 'again':
        this.log.again(said.reason)
        this.startOver()
        return
      case 'progress':
        this.collected.reported = { done: said.done, total: said.total, message: said.message }
        this.lease.tellSoon()
        return
      case 'log':
        this.log.plugin(said)
        return
      case 'charge':
        return void this.charge(said)
      case 'file':
        void this.files.keep(said)
    }
  }

  private async charge({ id, block }: { readonly id: number; readonly block: number }): Promise<void> {
    const { execution } = this
    try {
      const answer = await this.charges.charge(block)
      if (answer === 'lost') this.abandon('the run had ended when its next block was charged')
      // The run must show the charge at once.
      this.lease.tellNow()
      execution?.answer({ type: 'charged', id, paid: answer === 'paid' })
    } catch (error) {
      this.conclude(this.defect(reasonOf(error)))
    }
  }

  /** Ends the run with what was collected so far. @param graceMs how long its plugin may take to stop */
  conclude(conclusion: Conclusion, graceMs = 0): void {
    this.decided ??= conclusion
    if (graceMs === 0) this.execution?.kill('the run was ended')
    else this.execution?.abort()
    this.killAt = Math.min(this.killAt, clock.monotonic() + graceMs)
  }

  private stopFor(why: 'cancel' | 'run-limit'): void {
    if (this.stop === undefined) {
      this.stop = why
      this.execution?.abort()
    }
    if (this.stop in GRACE_MS) this.killAt = Math.min(this.killAt, clock.monotonic() + GRACE_MS[why])
  }

  /** Another worker may hold the run, or may claim it when the lease ends: nothing more is written to it. */
  abandon(why: string): void {
    if (this.stop === 'abandoned') return
    this.stop = 'abandoned'
    this.log.abandoned(this.run.attempt, why)
    this.execution?.kill(why)
  }

  private async finish(conclusion: Conclusion): Promise<void> {
    this.finishing = true
    await finishRun(this.deps, this, conclusion)
    if (this.mayResume) this.deps.pool.unfinished.drop(this.run.runId)
  }

  /** Reacts to a newer state of the run. */
  changed(state: RunState): void {
    if (this.finishing) return
    if (state.status === 'cancelling') this.stopFor('cancel')
    else if (state.status !== 'running' || state.attempt !== this.run.attempt)
      this.abandon(`the run is ${state.status}`)
  }
}
