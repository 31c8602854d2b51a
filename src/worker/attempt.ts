/**
 * One attempt at one run, from its claim to its end: executed by a child, its lease renewed, stopped when the client,
 * the clock or the shutdown asks for it, ended once.
 *
 * @module
 */
import type { Ledger } from '../accounts/ledger.ts'
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import type { HeldRun, Progress, RunState } from '../domain/run.ts'
import type { Recorded } from '../log/event-log.ts'
import type { Loaded } from '../log/execute.ts'
import type { RunItems } from '../metrics.ts'
import type { RunCommands } from '../runs/commands.ts'
import { Charges } from './charges.ts'
import { type Ended, findingOf, isDoubtful } from './deaths.ts'
import { Collected, type Finding } from './ending.ts'
import { expiryOf, finishRun } from './finish.ts'
import { Held } from './held.ts'
import { Lease } from './lease.ts'
import { reasonOf } from './process/child/execution.ts'
import type { Execution, Request } from './process/execution.ts'
import type { ChildPool } from './process/pool.ts'
import type { Unfinished } from './process/unfinished.ts'
import { RunFiles, type RunFilesDeps } from './run-files.ts'
import { RunLogin, type RunLoginDeps } from './run-login.ts'

export type AttemptDeps = RunLoginDeps &
  RunFilesDeps & {
    readonly pool: ChildPool
    readonly commands: RunCommands
    readonly ledger: Ledger
    readonly leaseS: number
    readonly unfinished: Unfinished
    /** told of the items that a run brought */
    readonly onItems?: ((items: RunItems) => void) | undefined
  }

/** Why the plugin is stopped. `lost`: somebody else decides about the run now, and it must not be touched any more. */
type Stop = 'cancel' | 'run-limit' | 'shutdown' | 'lost'

/** How long a plugin may take to heed the signal, in milliseconds, before its process is ended. */
const GRACE_MS = { cancel: 4000, 'run-limit': 2000, 'over-limit': 2000 }
const MEMORY_MB = 512

export class Attempt {
  private readonly collected = new Collected()
  private readonly run: HeldRun
  private readonly held: Held
  private readonly charges: Charges
  private readonly lease: Lease
  private readonly login: RunLogin
  private readonly files: RunFiles
  private execution: Execution | undefined
  private stop: Stop | undefined
  /** how the run ends, whatever its plugin makes of it */
  private decided: Finding | undefined
  /** milliseconds of `performance.now()`, which no correction of the clock puts off */
  private killAt = Number.POSITIVE_INFINITY
  private progress: Progress | undefined
  private finishing = false

  /**
   * @param known the run as its claim left it
   * @param task undefined when no plugin has it any more
   * @param causationId the event of the claim
   * @param onEnding told of the append of the run's end as soon as it is on its way
   */
  constructor(
    private readonly deps: AttemptDeps,
    known: Loaded<HeldRun>,
    private readonly task: CatalogueTask | undefined,
    causationId: string,
    private readonly onEnding: (written: Promise<unknown>) => void,
  ) {
    this.run = known.state
    this.held = new Held(deps, known, causationId, (state) => this.learned(state))
    this.charges = new Charges(deps, this.run, task?.task, causationId, this.held)
    this.login = new RunLogin(deps, this.run, task, causationId)
    this.files = new RunFiles(deps, this.run, this.held, {
      execution: () => this.execution,
      stored: (name, ref) => this.collected.addFile(name, ref),
      over: (finding) => this.conclude(finding, GRACE_MS['over-limit']),
      forged: (why) => this.conclude(this.errored('defect', why)),
    })
    this.lease = new Lease(deps, this.held, this.run, {
      progress: () => this.collected.reached(this.progress),
      charged: () => this.charges.total,
      lost: (why) => this.lose(why),
    })
  }

  /** Executes the run and ends it, unless it is lost or handed back. */
  async perform(): Promise<void> {
    const found = await this.work()
    const finding = this.decided ?? found
    if (finding === undefined && this.stop === undefined) this.lose('its process was ended')
    if (!this.hasLost()) await this.login.keep(finding)
    if (this.hasLost()) return
    if (this.stop === 'shutdown' && finding === undefined && this.held.state.status === 'running') {
      this.finishing = true
      await this.held.persist(() => this.held.give({ type: 'hand-back', attempt: this.run.attempt }))
    } else await this.finish(this.judged(finding))
  }

  /** Hears what happened to the run. */
  observe(recorded: Recorded): void {
    this.held.observe(recorded)
  }

  /** To be called several times in a third of a lease: whatever is due is done. */
  tick(now: number): void {
    const isOver = this.finishing && this.held.leaseUntil === 0
    if (isOver || this.stop === 'lost') return
    if (this.lease.isAboutToEnd(now)) {
      this.lose('the lease could not be renewed')
      return
    }
    if (now >= Date.parse(this.run.runUntil)) this.stopFor('run-limit')
    if (performance.now() >= this.killAt)
      this.execution?.kill(`it did not heed the signal: ${this.stop ?? 'over a limit'}`)
    if (!this.finishing) this.lease.tick(now)
    void this.files.look()
  }

  /** The worker shuts down: the run goes back to the queue, unless it is about to end. */
  shutDown(): void {
    this.stop ??= 'shutdown'
    this.execution?.kill('the worker shuts down')
  }

  /** @returns undefined when the plugin was stopped before it came to an end of its own */
  private async work(): Promise<Finding | undefined> {
    if (!this.task) return this.errored('defect', `no plugin has the task ${this.run.taskKey}`)
    try {
      return await this.execute(this.task)
    } catch (error) {
      return this.errored('defect', reasonOf(error))
    }
  }

  private async execute(task: CatalogueTask): Promise<Finding | undefined> {
    const body = await this.stored(() => this.deps.artifacts.get(this.run.inputRef))
    if (this.stop) return undefined
    if (!body) return this.errored('defect', 'the input is gone')
    const input = new TextDecoder().decode(body)
    if (!(await this.stored(() => this.login.find()))) return this.stop ? undefined : this.login.missing()
    for (let fresh = false; ; fresh = true) {
      const ended = await this.once(task, input, fresh)
      const again = ended.kind === 'died' && !this.stop && isDoubtful(ended)
      if (!again) return this.found(ended)
      // The child had runs before this one, and what they left behind may have done it.
      this.collected.clear()
    }
  }

  /** A method, since the compiler does not know that it changes while something is waited for. */
  private hasLost(): boolean {
    return this.stop === 'lost'
  }

  /** What a store has; undefined when it stayed away, and the run is lost. @throws what is no absence of the store */
  private async stored<T>(ask: () => Promise<T>): Promise<T | undefined> {
    let found: T | undefined
    const read = await this.held.persist(async () => {
      found = await ask()
    })
    if (!read) this.lose('the store is away')
    return found
  }

  private async once({ task, module, source }: CatalogueTask, input: string, fresh: boolean): Promise<Ended> {
    const { runId, accountId, runUntil, taskKey } = this.run
    const { job: login, state } = this.login
    const execution = this.deps.pool.execute({
      job: { runId, module, taskKey, input, until: Date.parse(runUntil), login },
      account: accountId,
      memoryMb: task.limits?.memory_mb ?? MEMORY_MB,
      source,
      state,
      fresh,
      hear: (said) => this.hear(said),
    })
    this.execution = execution
    if (this.stop) execution.kill(`stopped before it began: ${this.stop}`)
    const ended = await execution.ended
    this.execution = undefined
    this.login.learn(execution.changes)
    return ended
  }

  private found(ended: Ended): Finding | undefined {
    if (ended.kind === 'end') {
      this.collected.add(ended)
      if (this.task && ended.fill)
        this.deps.onItems?.({ task: this.task.key, columns: this.task.columns, ...ended.fill })
    } else if (ended.cause === 'lost') this.lose(ended.reason)
    return findingOf(ended, (code, reason) => this.errored(code, reason))
  }

  private errored(code: string, reason: string): Finding {
    const { runId, taskKey } = this.run
    this.deps.logger.error({ run_id: runId, task: taskKey, code, reason }, 'a run ended by a fault of ours')
    return { status: 'errored', code }
  }

  /** What the clock said goes before what the plugin said. A cancelled run's status is the domain's to decide. */
  private judged(finding: Finding | undefined): Finding {
    if (this.stop === 'run-limit') return { status: 'expired', code: 'run-limit' }
    return finding ?? { status: 'failed', code: null, detail: '' }
  }

  private hear(said: Parameters<Request['hear']>[0]): void {
    const { logger } = this.deps
    const { runId: run_id, taskKey: task } = this.run
    switch (said.type) {
      case 'items':
        this.collected.add(said)
        return
      case 'again':
        logger.info({ run_id, task, reason: said.reason }, 'a task begins anew')
        this.collected.clear()
        return
      case 'progress':
        this.progress = { done: said.done, total: said.total, message: said.message }
        this.lease.tellSoon()
        return
      case 'log':
        logger.info({ ...said.fields, run_id, task }, said.message)
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
      if (answer === 'lost') this.lose('the run had ended when its next block was charged')
      // The run shows at once what it was charged.
      this.lease.tellNow()
      execution?.charged(id, answer === 'paid')
    } catch (error) {
      this.conclude(this.errored('defect', reasonOf(error)))
    }
  }

  /** Ends the run so, with what it has brought. @param graceMs how long its plugin may take to heed that */
  private conclude(finding: Finding, graceMs = 0): void {
    this.decided ??= finding
    if (graceMs === 0) this.execution?.kill('the run was ended')
    else this.execution?.abort()
    this.killAt = Math.min(this.killAt, performance.now() + graceMs)
  }

  private stopFor(why: 'cancel' | 'run-limit'): void {
    if (this.stop === undefined) {
      this.stop = why
      this.execution?.abort()
    }
    if (this.stop in GRACE_MS) this.killAt = Math.min(this.killAt, performance.now() + GRACE_MS[why])
  }

  lose(why: string): void {
    if (this.stop === 'lost') return
    this.stop = 'lost'
    this.deps.logger.warn({ run_id: this.run.runId, attempt: this.run.attempt, why }, 'a run was given up')
    this.execution?.kill(why)
  }

  private async finish(finding: Finding): Promise<void> {
    this.finishing = true
    await finishRun(
      {
        ...{ run: this.run, task: this.task?.task, artifacts: this.deps.artifacts, held: this.held },
        ...{ login: this.login, charges: this.charges, collected: this.collected },
        expiresAt: () => expiryOf(this.deps),
        progress: () => this.collected.reached(this.progress),
        errored: (why) => this.errored('defect', why),
        onEnding: this.onEnding,
      },
      finding,
    )
    this.deps.unfinished.drop(this.run.runId)
  }

  private learned(state: RunState): void {
    if (this.finishing) return
    if (state.status === 'cancelling') this.stopFor('cancel')
    else if (state.status !== 'running' || state.attempt !== this.run.attempt)
      this.lose(`the run is ${state.status}`)
  }
}
