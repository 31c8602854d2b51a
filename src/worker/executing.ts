/**
 * The first part of an attempt: one execution after another, until it is known how the run ends.
 *
 * @module
 */
import type { Artifacts } from '../artifacts/artifacts.ts'
import { clock } from '../async/clock.ts'
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import type { Credentials } from '../config.ts'
import type { RunEnd } from '../domain/run.ts'
import type { RunItems } from '../metrics.ts'
import { reasonOf } from '../process/reason.ts'
import { decodeInput } from '../runs/input.ts'
import type { Request } from './process/execution.ts'
import { type ExecutionEnd, isFault } from './process/execution-end.ts'
import { SHARED_MB, SHARED_S } from './process/placement.ts'
import type { RunExecution, RunPool } from './process/pool.ts'
import { MAX_RESULT_CHARS } from './process/protocol.ts'
import { RunExit, type RunExitDeps } from './run-exit.ts'
import { type FileReport, RunFiles, type RunFilesDeps } from './run-files.ts'
import { areOf, runFillOf } from './run-fill.ts'
import type { RunParts } from './run-parts.ts'

export type ExecutingDeps = RunFilesDeps &
  RunExitDeps & {
    readonly pool: RunPool
    readonly artifacts: Pick<Artifacts, 'get' | 'putFile'>
    /** the operator's credentials for the APIs of sources, by the name of the source */
    readonly credentials?: ReadonlyMap<string, Credentials> | undefined
    /** called with the items that a run returned */
    readonly onItems?: ((items: RunItems) => void) | undefined
    /** called when a run is executed again because its process died */
    readonly onAgain?: ((source: string) => void) | undefined
    /** whether a task's fields have lost their values: its runs are captured even if they succeed; default none */
    readonly isDrifting?: ((taskKey: string) => boolean) | undefined
  }

/** How long the plugin of a run over a limit may take to stop, in milliseconds. */
const OVER_MS = 2000

export class Executing {
  private files: RunFiles
  private readonly exit: RunExit
  /** the current execution, if any */
  private execution: RunExecution | undefined
  /** the last answers of the run, from its process; `drifts`: they were asked for even if it succeeds */
  captured: { readonly text: string; readonly drifts: boolean } | undefined
  private drifts = false
  /** why the run was stopped */
  private stopped: string | undefined
  /** how the run ends, whatever its plugin returns */
  private decided: RunEnd | undefined
  /** milliseconds of `clock.monotonic()`, which clock corrections do not affect */
  private killAt = Number.POSITIVE_INFINITY

  /**
   * @param mayResume an execution of the run was cut off and may have left an unfinished file
   * @param onLost called when another worker may hold the run
   */
  constructor(
    private readonly deps: ExecutingDeps,
    private readonly parts: RunParts,
    private mayResume: boolean,
    private readonly onLost: (why: string) => void,
  ) {
    this.files = new RunFiles(deps, parts.run, parts.lease)
    this.exit = new RunExit(deps, parts)
  }

  /** @returns undefined when the run was stopped before its plugin ended by itself, or when it was lost. Never throws */
  async untilEnd(): Promise<RunEnd | undefined> {
    const end = await this.execute().catch((error) => this.parts.log.defect(reasonOf(error)))
    return this.decided ?? end
  }

  /** Asks the plugin to stop. It is killed unless it ends within `graceMs`, counted from the call that allows least. */
  stop(why: string, graceMs: number): void {
    if (this.stopped === undefined) this.execution?.abort()
    this.stopped ??= why
    this.killWithin(graceMs)
  }

  /** Ends the execution at once; no other one follows. */
  kill(why: string): void {
    this.stopped ??= why
    this.execution?.kill(why)
  }

  /** Kills a plugin that does not stop, and measures its files. Must be called several times a second. */
  tick(): void {
    const { execution } = this
    if (!execution) return
    if (clock.monotonic() >= this.killAt)
      execution.kill(`the plugin ignored its signal: ${this.stopped ?? 'over a limit'}`)
    void this.look(execution)
  }

  /** The run has ended: its unfinished file is not needed any more. */
  dropUnfinished(): void {
    if (this.mayResume) this.deps.pool.unfinished.drop(this.parts.run.runId)
  }

  private killWithin(ms: number): void {
    this.killAt = Math.min(this.killAt, clock.monotonic() + ms)
  }

  private async execute(): Promise<RunEnd | undefined> {
    const { run, task, login, log } = this.parts
    if (!task) return log.defect(`no plugin provides the task ${run.taskKey}`)
    const body = await this.stored(() => this.deps.artifacts.get(run.inputRef))
    if (this.stopped) return undefined
    if (!body) return log.defect('the input has expired or was deleted')
    const { input } = decodeInput(body)
    if (!(await this.stored(() => login.find()))) return this.stopped ? undefined : login.missing()
    const isLarge = (task.declaration.limits?.memory_mb ?? 0) > SHARED_MB || task.runLimitS > SHARED_S
    await this.exit.choose()
    let alone: Request['alone'] = isLarge ? 'task' : undefined
    for (let lost = 0; this.stopped === undefined; ) {
      const end = await this.once(task, input, alone)
      // Another run in its process, or something outside, may be the cause: it is executed again alone, as if nothing had
      // happened. A run that has lost its process three times waits for the end of its lease.
      const isDoubtful =
        end.kind === 'died' && (end.cause === 'lost' ? ++lost < 3 : !end.alone && end.cause !== 'killed')
      if (!(isDoubtful || this.exit.failure) || this.stopped || this.decided) return this.endAfter(end)
      this.startOver()
      if (isDoubtful) {
        log.alone(end.reason)
        this.deps.onAgain?.(task.source.name)
        alone = 'again'
      } else await this.stored(() => this.exit.change())
    }
    return undefined
  }

  /** Discards the items and files so far, which do not count toward the limits either. */
  private startOver(): void {
    const { collected, run, lease } = this.parts
    collected.clear()
    this.files = new RunFiles(this.deps, run, lease)
  }

  /** Uses a store until the run is stopped. If it stays unavailable, the run is lost. @throws any other error */
  private async stored<T>(act: () => Promise<T>): Promise<T | undefined> {
    const answer = await this.parts.lease.persist(
      async () => ({ value: await act() }),
      () => this.stopped === undefined,
    )
    if (!answer && this.stopped === undefined) this.onLost('a store is unavailable')
    return answer?.value
  }

  private async once(
    { declaration: task, module, source }: CatalogueTask,
    input: string,
    alone: Request['alone'],
  ): Promise<ExecutionEnd> {
    const { run, login, collected, lease } = this.parts
    const { runId, accountId, runUntil, taskKey } = run
    this.drifts = this.deps.isDrifting?.(taskKey) ?? false
    this.captured = undefined
    const execution = this.deps.pool.execute({
      job: {
        runId,
        module,
        taskKey,
        input,
        until: Date.parse(runUntil),
        login: login.job,
        exit: this.exit.job,
        credentials: this.deps.credentials?.get(source.name),
        ...(this.drifts && { capture: true }),
      },
      account: accountId,
      memoryMb: task.limits?.memory_mb ?? SHARED_MB,
      source,
      state: login.state,
      alone,
      mayResume: this.mayResume,
      onPause: (isPaused) => {
        collected.isPaused = isPaused
        lease.renewSoon()
      },
      hear: (message) => this.hear(message),
    })
    this.execution = execution
    this.parts.usage.follow(execution)
    if (this.stopped) execution.kill(`stopped before it began: ${this.stopped}`)
    const end = await execution.end
    this.execution = undefined
    collected.isPaused = false
    this.mayResume ||= end.kind === 'died'
    login.learn(execution.changes)
    await this.exit.ended(end, execution.usage)
    return end
  }

  /** How the run ends after its last execution; undefined when its plugin was stopped, or was lost with its process. */
  private endAfter(end: ExecutionEnd): RunEnd | undefined {
    const { collected, log, task } = this.parts
    if (end.kind === 'died') {
      if (end.cause === 'lost') this.onLost(end.reason)
      return isFault(end.cause) ? log.fault(end.cause, end.reason) : undefined
    }
    collected.add(end)
    collected.notice = null
    const { end: taskEnd, fill, skipped = 0 } = end
    log.read(end)
    if (task && fill && task.columns.length > 0 && areOf(task, fill)) {
      const { items, filled } = fill
      this.deps.onItems?.({ task: task.key, fields: task.fields, items, filled, skipped })
    }
    switch (taskEnd.status) {
      case 'stopped':
        return undefined
      case 'errored':
        return log.fault(taskEnd.code, taskEnd.reason)
      case 'failed':
        return { status: 'failed', code: taskEnd.code, detail: taskEnd.detail }
      case 'succeeded':
        collected.rest = taskEnd.rest
        collected.fill = task && runFillOf(task, this.parts.run, fill, collected.count)
        return { status: 'succeeded', code: null }
    }
  }

  private hear(message: Parameters<Request['hear']>[0]): void {
    const { collected, lease, log } = this.parts
    switch (message.type) {
      case 'items':
        collected.add(message)
        // Our own code in the child would have ended the run before this.
        if (collected.total > MAX_RESULT_CHARS)
          this.decide(log.defect('its process sent more items than a run may return'))
        return
      case 'again':
        log.again(message.reason)
        this.startOver()
        return
      case 'progress':
        collected.reported = { done: message.done, total: message.total, message: message.message }
        lease.renewSoon()
        return
      case 'log':
        log.plugin(message)
        return
      case 'charge':
        return void this.charge(message)
      case 'file':
        return void this.keep(message)
      case 'capture':
        this.captured = { text: message.text, drifts: this.drifts }
    }
  }

  private async charge({ id, block }: { readonly id: number; readonly block: number }): Promise<void> {
    const { execution } = this
    const { charges, lease, log } = this.parts
    try {
      const answer = await charges.charge(block)
      // Its execution has ended.
      if (this.execution !== execution) return
      if (answer === 'lost') this.onLost('the run had ended when its next block was charged')
      // The run must show the charge at once.
      lease.renewNow()
      execution?.answer({ type: 'charged', id, paid: answer === 'paid' })
    } catch (error) {
      this.decide(log.defect(reasonOf(error)))
    }
  }

  /** Stores a file that the plugin has finished, and answers it. Never throws. */
  private async keep(report: FileReport): Promise<void> {
    const { execution, files } = this
    const { collected, log } = this.parts
    if (execution?.folder === undefined) return
    const answer = await files.keep(report, execution.folder)
    // Its execution has ended.
    if (this.execution !== execution) return
    if ('forged' in answer) this.decide(log.defect(`the child reported ${answer.forged}`))
    else if ('over' in answer) this.decide(answer.over, OVER_MS)
    else {
      if ('ref' in answer) collected.addFile(report.name, answer.ref)
      execution.answer({ type: 'filed', id: report.id, error: 'ref' in answer ? null : answer.fault })
    }
  }

  private async look(execution: RunExecution): Promise<void> {
    if (execution.folder === undefined) return
    const over = await this.files.look(execution.folder)
    if (over && this.execution === execution) this.decide(over, OVER_MS)
  }

  /** Ends the run with what was collected so far. @param graceMs how long its plugin may take to stop */
  private decide(end: RunEnd, graceMs = 0): void {
    this.decided ??= end
    if (graceMs === 0) this.execution?.kill('the run was ended')
    else this.execution?.abort()
    this.killWithin(graceMs)
  }
}
