/**
 * One child process, seen from the service: its current run, its messages, and how it died.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process'
import { clock } from '../../async/clock.ts'
import type { Logger } from '../../logger.ts'
import { processIn } from '../../process/isolation.ts'
import { preferAsVictim } from '../../process/memory.ts'
import { type Printed, ServedChild } from '../../process/served-child.ts'
import type { Execution } from './execution.ts'
import { type Completion, type FromChild, heard } from './heard.ts'
import { type Job, type Setup, SILENCE_MS, type ToChild } from './protocol.ts'

/** How a child died during a run. `lost`: an outside cause, so the run is not to blame. */
export type Death = 'defect' | 'out-of-memory' | 'lost' | 'killed'

/** Whether the run may be to blame. */
export const isFault = (cause: Death): cause is 'defect' | 'out-of-memory' =>
  cause === 'defect' || cause === 'out-of-memory'

/** How an execution ended: the plugin ended, or the child died. */
export type ExecutionResult =
  | ({ readonly kind: 'completed' } & Completion)
  | {
      readonly kind: 'died'
      readonly cause: Death
      /** for the log */
      readonly reason: string
      /** the child executed no run before, so only this one can be to blame */
      readonly fresh: boolean
    }

/** The messages of a child during a run, except its end. */
export type Said = Exclude<FromChild, { readonly type: 'alive' | 'completed' | 'crashed' }>

/** How long a process may take to send its first message, in milliseconds. */
const START_MS = 30_000
/** The most messages a second: a plugin that floods the service with them would keep it from everything else. */
const MOST_MESSAGES = 10_000
/** If the system kills a child above this part of its memory limit, the cause counts as out of memory. */
const SUSPECT = 0.5

export class Child extends ServedChild<ToChild> {
  /** number of runs assigned so far */
  runs = 0
  /** milliseconds of `clock.monotonic()`: since when it is idle */
  idleSince = clock.monotonic()
  /** the account of its runs; undefined before its first run. Leftovers of a run never meet another account's run */
  account: string | undefined
  private ready = false
  /** pid of the process that executes plugins, once it has started */
  pid: number | undefined
  /** MiB, as last measured */
  rssMb = 0
  /** messages since it was last watched, in milliseconds of `clock.monotonic()` */
  private messages = 0
  private watchedAt = clock.monotonic()
  /** of its current run */
  private execution: Execution | undefined
  private verdict: { readonly cause: Death; readonly reason: string } | undefined

  /**
   * @param folder an existing folder for this process only: its runs write files there
   * @param onIdle called when it is ready for a run: once it has started, and after each run
   * @param onExit called when the process has exited, with or without a run
   */
  constructor(
    process: ChildProcess,
    readonly folder: string,
    setup: Setup,
    logger: Logger,
    private readonly onIdle: () => void,
    private readonly onExit: () => void,
  ) {
    super(process, logger, 'a child process')
    this.send(setup)
  }

  /** Whether it can be assigned a run now. */
  get isIdle(): boolean {
    return this.ready && !this.execution && !this.verdict && this.isAlive
  }

  get isBusy(): boolean {
    return this.execution !== undefined
  }

  get isStarting(): boolean {
    return !this.ready && this.isAlive
  }

  /** Assigns it a run. It must be idle, and belong to the run's account or to none yet. */
  assign(job: Job, execution: Execution): void {
    const { account } = execution.request
    if (this.account !== undefined && this.account !== account)
      throw new Error('A child process was assigned a run of another account.')
    this.account = account
    this.runs++
    this.execution = execution
    this.forgetSilence()
    this.send({ type: 'run', job })
  }

  /** Kills it at once. Its run, if any, ends with `cause`, unless another cause was set before. */
  kill(cause: Death, reason: string): void {
    this.judge(cause, reason)
    this.endGroup()
  }

  /** Kills it when its run is silent for too long or takes too much memory, or when it does not start in time. */
  watch(): void {
    this.messages = 0
    this.watchedAt = clock.monotonic()
    const silentMs = this.silentMs()
    if (!this.ready && silentMs > START_MS) this.kill('defect', 'the process did not start in time')
    if (!this.execution) return
    const { memoryMb } = this.execution.request
    if (this.rssMb > memoryMb)
      this.kill('out-of-memory', `${Math.round(this.rssMb)} MiB, ${memoryMb} allowed`)
    else if (silentMs > SILENCE_MS)
      this.kill('defect', `no sign of life for ${SILENCE_MS} ms: the plugin may be in an endless loop`)
  }

  protected receive(received: unknown): void {
    if (++this.messages > MOST_MESSAGES * (1 + (clock.monotonic() - this.watchedAt) / 1000)) {
      this.kill('defect', `its process sent more than ${MOST_MESSAGES} messages a second`)
      return
    }
    const message = heard(received)
    if (!message) {
      this.kill('defect', 'its process sent a message that is not part of the protocol')
      return
    }
    if (!this.ready) {
      this.ready = true
      this.pid = processIn(this.process.pid ?? 0)
      preferAsVictim(this.pid)
      this.onIdle()
    }
    if (message.type === 'alive') return
    if (message.type === 'crashed') {
      this.judge(message.memory ? 'out-of-memory' : 'defect', message.reason)
      return
    }
    if (message.type !== 'completed') this.execution?.hear(message)
    else {
      const { type: _, ...end } = message
      this.complete({ kind: 'completed', ...end })
      this.onIdle()
    }
  }

  private judge(cause: Death, reason: string): void {
    this.verdict ??= { cause, reason }
  }

  protected failed({ message }: Error): void {
    this.judge('lost', `the child could not be started or reached: ${message}`)
  }

  protected ended(code: number | null, signal: string | null): void {
    const { cause, reason } = this.verdict ?? this.guess(code, signal)
    if (this.isBusy) this.complete({ kind: 'died', cause, reason, fresh: this.runs === 1 })
    else if (!this.verdict)
      this.logger.warn(
        { pid: this.pid, reason },
        'An idle child process exited. Another one is started when a run needs it.',
      )
    this.onExit()
  }

  private guess(code: number | null, signal: string | null): { cause: Death; reason: string } {
    const reason = `ended by ${signal ?? `exit code ${code}`}; ${this.errors.trim()}`
    if (signal !== 'SIGKILL') return { cause: 'defect', reason }
    const { execution } = this
    const large = execution !== undefined && this.rssMb > execution.request.memoryMb * SUSPECT
    return { cause: large ? 'out-of-memory' : 'lost', reason }
  }

  private complete(result: ExecutionResult): void {
    const { execution } = this
    this.execution = undefined
    this.idleSince = clock.monotonic()
    execution?.done(result)
  }

  /** Output of plugins is logged at level debug only. */
  protected printed(what: Printed): void {
    const { runId } = this.execution?.request.job ?? {}
    this.logger.debug({ pid: this.pid, run_id: runId, ...what }, 'A child process printed.')
  }
}
