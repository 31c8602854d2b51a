/**
 * One process of plugins, seen from the service: its runs, its messages, its state, and how it died.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process'
import { clock } from '../../async/clock.ts'
import { setImmediate } from '../../async/timers.ts'
import type { Logger } from '../../logger.ts'
import { processIn, wasKilled } from '../../process/isolation.ts'
import { TOO_LONG } from '../../process/json-lines.ts'
import { preferAsVictim } from '../../process/memory.ts'
import { type Printed, ServedChild } from '../../process/served-child.ts'
import type { CauseOfDeath, ExecutionEnd } from './execution-end.ts'
import { type FromChild, parseMessage, type RunMessage } from './from-child.ts'
import { DRAIN_REASONS, drainReason, isAloneKey, type ProcessView, SHARED_MB } from './placement.ts'
import { type Job, type RunNumber, type Setup, SILENCE_MS, type ToChild } from './protocol.ts'
import { MOST_MESSAGES, Vitals } from './vitals.ts'

/** How long a process may take to send its first message, in milliseconds. */
const START_MS = 30_000
/** If the system kills a process above this part of its memory limit, the cause counts as out of memory. */
const SUSPECT = 0.5

/** A run in a process. */
export type HostedRun = {
  readonly number: RunNumber
  /** MiB that it may take */
  readonly memoryMb: number
  /** called with each message about it */
  hear(message: RunMessage): void
  /** called once, when its execution here has ended */
  done(end: ExecutionEnd): void
}

/** What the pool wants to know of a process. */
export type ProcessEvents = {
  /** it may take a run: it has started, a run has ended, or it is no longer late */
  readonly onRoom: () => void
  /** it has exited, with or without runs. @param cause undefined for the exit of an idle process */
  readonly onExit: (cause: CauseOfDeath | undefined) => void
}

export class PluginProcess extends ServedChild<readonly ToChild[]> implements ProcessView {
  /** see {@link ProcessView} */
  key: string | undefined
  /** the source of its runs, for logs and metrics */
  source: string | undefined
  /** number of runs assigned so far */
  served = 0
  /** milliseconds of `clock.monotonic()`: since when it has no run */
  idleSince = clock.monotonic()
  /** pid of the process that executes plugins, once it has started */
  pid: number | undefined
  /** MiB, as last measured */
  rssMb = 0
  private idleMb: number | undefined
  /** MiB that its largest task may take */
  private taskMb = 0
  /** it was asked to keep no answers for captures */
  private isShort = false
  private readonly hosted = new Map<RunNumber, HostedRun>()
  /** the highest number of a run so far */
  private lastNumber = 0
  private ready = false
  private draining = false
  private readonly vitals = new Vitals()
  private verdict: { readonly cause: CauseOfDeath; readonly reason: string } | undefined
  private waiting: ToChild[] = []

  /** @param folder an existing folder for this process only: its runs write files there */
  constructor(
    process: ChildProcess,
    readonly folder: string,
    setup: Setup,
    logger: Logger,
    private readonly events: ProcessEvents,
  ) {
    super(process, logger, 'a process of plugins')
    this.send([setup])
  }

  get state(): ProcessView['state'] {
    if (this.verdict || this.hasExited || !this.isAlive) return 'killed'
    if (!this.ready) return 'starting'
    return this.draining ? 'draining' : 'accepting'
  }

  get runs(): number {
    return this.hosted.size
  }

  get hasServed(): boolean {
    return this.served > 0
  }

  get isLate(): boolean {
    return this.vitals.isLate
  }

  /** Whether it can only execute a single run in its life. */
  private get isAlone(): boolean {
    return isAloneKey(this.key)
  }

  /** Assigns it a run. It must be accepting. */
  assign(job: Job, run: HostedRun): void {
    if (this.hosted.size === 0) this.forgetSilence()
    this.served++
    this.lastNumber = Math.max(this.lastNumber, run.number)
    this.taskMb = Math.max(this.taskMb, run.memoryMb)
    this.hosted.set(run.number, run)
    this.tell({ type: 'run', run: run.number, job })
    if (this.isAlone) this.draining = true
  }

  /** Sends a message at the end of this turn of the event loop, together with the others. */
  tell(message: ToChild): void {
    if (this.waiting.length === 0)
      setImmediate(() => {
        const messages = this.waiting
        this.waiting = []
        this.send(messages)
      })
    this.waiting.push(message)
  }

  /**
   * Ends a run without its code, which may go on: nothing that it says from now on counts. A process with other runs
   * finishes these and takes no new ones; a process without others is killed.
   */
  drop(run: HostedRun, reason: string): void {
    if (this.hosted.size === 1) {
      this.kill('killed', reason)
      return
    }
    this.hosted.delete(run.number)
    this.tell({ type: 'abort', run: run.number })
    this.drain('left-behind')
    run.done({ kind: 'died', cause: 'killed', reason, alone: false })
  }

  /** Takes no more runs. It ends when its last run has ended. */
  drain(why: keyof typeof DRAIN_REASONS): void {
    if (this.draining) return
    this.draining = true
    this.logger.debug(
      { pid: this.pid, source: this.source, why: DRAIN_REASONS[why] },
      'A process takes no more runs.',
    )
    this.endIfDrained()
  }

  private endIfDrained(): void {
    if (this.draining && this.hosted.size === 0) this.kill('killed', 'its last run has ended')
  }

  /** Kills it at once. Its runs die with `cause`, unless another cause was set before. */
  kill(cause: CauseOfDeath, reason: string): void {
    this.judge(cause, reason)
    this.endGroup()
  }

  /** Kills it when it is silent for too long or takes too much memory, or when it does not start in time. */
  watch(): void {
    this.vitals.watched()
    const silentMs = this.silentMs()
    if (!this.ready && silentMs > START_MS) this.kill('defect', 'the process did not start in time')
    if (this.hosted.size === 0) {
      this.idleMb ??= this.rssMb || undefined
      return
    }
    const limitMb = this.limitMb
    if (this.rssMb > limitMb)
      this.kill('out-of-memory', `${Math.round(this.rssMb)} MiB, ${Math.round(limitMb)} allowed`)
    else if (silentMs > SILENCE_MS)
      this.kill('defect', `no sign of life for ${SILENCE_MS} ms: the plugin may be in an endless loop`)
    if (this.rssMb > limitMb / 2 && !this.isShort) {
      this.isShort = true
      this.tell({ type: 'drop-answers' })
    }
    const why = drainReason({
      rssMb: this.rssMb,
      softMb: this.isAlone ? Number.POSITIVE_INFINITY : limitMb / 2,
      served: this.served,
      lateBeats: this.vitals.lateBeats,
    })
    if (why) this.drain(why)
  }

  /** MiB that it may take. A process of many runs may take what it had when idle in addition. */
  private get limitMb(): number {
    return this.isAlone ? this.taskMb : Math.min(this.taskMb, SHARED_MB) + (this.idleMb ?? 0)
  }

  protected receive(received: unknown): void {
    if (received === TOO_LONG) {
      this.kill('defect', 'its process sent a message that is larger than any result may be')
      return
    }
    const messages = Array.isArray(received) ? received : [received]
    if (this.vitals.isFlood(messages.length)) {
      this.kill('defect', `its process sent more than ${MOST_MESSAGES} messages a second`)
      return
    }
    let hasRoom = false
    for (const each of messages) {
      const message = parseMessage(each)
      if (!message || !this.isOwn(message)) {
        this.kill('defect', 'its process sent a message that is not part of the protocol')
        return
      }
      hasRoom = this.hear(message) || hasRoom
    }
    this.endIfDrained()
    if (hasRoom) this.events.onRoom()
  }

  /** Whether a message names no run, or one that it was given, even if that one has ended since. */
  private isOwn(message: FromChild): boolean {
    return !('run' in message) || message.run <= this.lastNumber
  }

  /** @returns whether it may have room for a run now */
  private hear(message: FromChild): boolean {
    if (!this.ready) {
      this.ready = true
      this.pid = processIn(this.process.pid ?? 0)
      preferAsVictim(this.pid)
      return true
    }
    if (message.type === 'alive') return this.vitals.beat(message.late ?? 0)
    if (message.type === 'crashed') {
      this.judge(message.memory ? 'out-of-memory' : 'defect', message.reason)
      return false
    }
    const run = this.hosted.get(message.run)
    if (message.type !== 'completed') {
      run?.hear(message)
      return false
    }
    if (!run) return false
    const { type: _, run: __, ...completed } = message
    this.finish(run, { kind: 'completed', ...completed })
    return true
  }

  private judge(cause: CauseOfDeath, reason: string): void {
    this.verdict ??= { cause, reason }
  }

  protected failed({ message }: Error): void {
    this.judge('lost', `the process could not be started or reached: ${message}`)
  }

  protected ended(code: number | null, signal: string | null): void {
    const { cause, reason } = this.verdict ?? this.guess(code, signal)
    const wasBusy = this.hosted.size > 0
    if (wasBusy && cause !== 'killed')
      this.logger.warn(
        { pid: this.pid, source: this.source, runs: this.hosted.size, cause, reason },
        'A process of plugins died. Runs that are not known to be the cause are executed again, alone.',
      )
    else if (!wasBusy && !this.verdict)
      this.logger.warn(
        { pid: this.pid, reason },
        'An idle process of plugins exited. Another one is started when a run needs it.',
      )
    const alone = this.served === 1
    for (const run of [...this.hosted.values()]) this.finish(run, { kind: 'died', cause, reason, alone })
    this.events.onExit(wasBusy ? cause : undefined)
  }

  private guess(code: number | null, signal: string | null): { cause: CauseOfDeath; reason: string } {
    const reason = `ended by ${signal ?? `exit code ${code}`}; ${this.errors.trim()}`
    if (!this.ready || !wasKilled(signal, this.errors)) return { cause: 'defect', reason }
    const large = this.hosted.size > 0 && this.rssMb > this.limitMb * SUSPECT
    return { cause: large ? 'out-of-memory' : 'lost', reason }
  }

  private finish(run: HostedRun, end: ExecutionEnd): void {
    this.hosted.delete(run.number)
    if (this.hosted.size === 0) this.idleSince = clock.monotonic()
    run.done(end)
  }

  /** Output of plugins is logged at level debug only. */
  protected printed(what: Printed): void {
    this.logger.debug({ pid: this.pid, source: this.source, ...what }, 'A process of plugins printed.')
  }
}
