/**
 * One child process as the service sees it: the run that it has, what it says, and how it died.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process'
import type { Logger } from '../logger.ts'
import { type FromChild, type Job, type RunEnd, type Setup, SILENCE_MS, type ToChild } from './protocol.ts'
import { preferAsVictim } from './rss.ts'
import { onEnd } from './spawn.ts'

/**
 * How a child died while it had a run. `lost`: from outside, and the run is not to blame. `crowded`: it held up others,
 * which it may do when it is alone.
 */
export type Death = 'defect' | 'out-of-memory' | 'lost' | 'killed' | 'crowded'

/** How an execution ended: as the plugin did, or by the child's death. */
export type Ended =
  | ({ readonly kind: 'end' } & Omit<RunEnd, 'ms'>)
  | {
      readonly kind: 'died'
      readonly cause: Death
      /** for the log */
      readonly reason: string
      /** the child had no run before, so that only this one can be to blame */
      readonly fresh: boolean
    }

/** Whether a child's death proves nothing about its run: others had been there before, or waited behind it. */
export const isDoubtful = ({ cause, fresh }: Ended & { readonly kind: 'died' }): boolean =>
  cause === 'crowded' || (!fresh && (cause === 'defect' || cause === 'out-of-memory'))

/** What a child says while it has a run, its end aside. */
export type Said = Exclude<FromChild, { readonly type: 'alive' | 'ends' | 'released' | 'crashed' }>

type Assignment = {
  readonly job: Job
  readonly memoryMb: number
  /** its task's runs are short, so that others may wait behind it, and it behind others */
  readonly short: boolean
  readonly hear: (said: Said) => void
  readonly done: (ended: Ended, ms: number) => void
  /** it has taken so long already that those behind it go elsewhere */
  readonly late: (ms: number) => void
  /** it has not begun, and will not here */
  readonly back: () => void
}

const TAIL_CHARS = 2000
/** How long a process may take until it says its first word, in milliseconds. */
const START_MS = 30_000
/** Runs that a child may have at once, one of them executed. */
const DEPTH = 32
/** The one that is executed may hold up the others so long, in milliseconds. */
const HOLD_UP_MS = 50
/** How long a child may take to give the others back, in milliseconds. */
const RELEASE_MS = 1000
/** A child that the system killed when it was larger than this part of its limit had too much memory. */
const SUSPECT = 0.5

export class Child {
  /** runs that it has had */
  runs = 0
  /** milliseconds of `performance.now()`: since when it has had nothing to do */
  idleSince = performance.now()
  private ready = false
  /** MiB, as last measured */
  rssMb = 0
  /** the first one is being executed, or about to be */
  private assignments: Assignment[] = []
  private unsent: Job[] = []
  /** when the first one became the first */
  private began = 0
  private begun = 0
  private releasing = false
  private holdUp: ReturnType<typeof setTimeout> | undefined
  private heard = performance.now()
  private verdict: { readonly cause: Death; readonly reason: string } | undefined
  private stderr = ''
  private dead = false

  /**
   * @param onIdle called when it may be given a run: once it has started, and after each run
   * @param onExit called when the process is gone, whether it had a run or not
   */
  constructor(
    private readonly process: ChildProcess,
    setup: Setup,
    private readonly logger: Logger,
    private readonly onIdle: () => void,
    private readonly onExit: () => void,
  ) {
    process.on('message', (message) => this.receive(message as FromChild))
    process.on('error', (error) => this.failed(error))
    onEnd(process, (code, signal) => this.exited(code, signal))
    process.stdout?.on('data', (chunk: Buffer) => this.print('stdout', chunk))
    process.stderr?.on('data', (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk.toString()).slice(-TAIL_CHARS)
      this.print('stderr', chunk)
    })
    if (process.pid !== undefined) preferAsVictim(process.pid)
    this.send(setup)
  }

  get pid(): number | undefined {
    return this.process.pid
  }

  /** Whether it may be given a run now. */
  get isIdle(): boolean {
    return this.ready && this.assignments.length === 0 && !this.verdict && !this.dead
  }

  get isBusy(): boolean {
    return this.assignments.length > 0
  }

  /** Whether a short run may be put behind those that it has. */
  get canShare(): boolean {
    const open = this.ready && !this.verdict && !this.dead && !this.releasing
    // Only short ones were put behind the first.
    if (!open || !this.assignments[0]?.short || this.assignments.length >= DEPTH) return false
    // Those that it gives back must not come again, nor others.
    return performance.now() - this.began < HOLD_UP_MS
  }

  get isStarting(): boolean {
    return !this.ready && !this.dead
  }

  /** Gives it a run: it must be idle, or able to share. */
  assign(assignment: Assignment): void {
    this.runs++
    this.assignments.push(assignment)
    if (this.assignments.length === 1) {
      this.begin()
      this.send({ type: 'run', jobs: [assignment.job] })
      return
    }
    // Those that come in one turn of the event loop go in one message.
    if (this.unsent.push(assignment.job) === 1) setImmediate(() => this.sendJobs())
    this.holdUp ??= setTimeout(() => this.relieve(), HOLD_UP_MS)
  }

  /** Whether it is this run that is executed, or the next to be. */
  executes(job: Job): boolean {
    return this.assignments[0]?.job === job
  }

  /** Stops the run; one that has not begun never does. */
  abort(job: Job): void {
    this.sendJobs()
    this.send({ type: 'abort', runId: job.runId })
  }

  send(message: ToChild): void {
    // A child that is gone is heard of by its exit.
    if (!this.dead)
      this.process.send?.(
        message,
        (error) => error && this.logger.debug({ err: error }, 'a message did not reach a child'),
      )
  }

  /** Ends it at once; a run that it has ends as `cause`, unless it was ended for another reason before. */
  kill(cause: Death, reason: string): void {
    this.judge(cause, reason)
    this.process.kill('SIGKILL')
  }

  /**
   * Ends it when it has a run and is silent for too long or too large, or when it does not get started.
   *
   * @param resumed the service itself stood still for a while: nobody's silence means anything
   */
  watch(now: number, resumed: boolean): void {
    if (resumed) this.heard = now
    const silentMs = now - this.heard
    if (!this.ready && silentMs > START_MS) this.kill('defect', 'it did not get started')
    const [first] = this.assignments
    if (!first) return
    const { memoryMb } = first
    if (this.rssMb > memoryMb)
      this.kill('out-of-memory', `${Math.round(this.rssMb)} MiB, ${memoryMb} allowed`)
    else if (silentMs > SILENCE_MS) this.kill('defect', `silent for ${SILENCE_MS} ms: an endless loop`)
  }

  private receive(message: FromChild): void {
    this.heard = performance.now()
    if (!this.ready) {
      this.ready = true
      this.onIdle()
    }
    if (message.type === 'alive') return
    if (message.type === 'crashed') {
      this.judge(message.memory ? 'out-of-memory' : 'defect', message.reason)
      return
    }
    if (message.type === 'released') this.released(message.count)
    else if (message.type !== 'ends') this.assignments[0]?.hear(message)
    else {
      for (const { ms, ...ended } of message.ends) this.settle({ kind: 'end', ...ended }, ms)
      if (this.assignments.length === 0) this.onIdle()
    }
  }

  private begin(): void {
    this.begun++
    this.began = performance.now()
    this.heard = this.began
  }

  private sendJobs(): void {
    if (this.unsent.length === 0) return
    const jobs = this.unsent
    this.unsent = []
    this.send({ type: 'run', jobs })
  }

  /** Others must not notice a run that takes long after all: they go elsewhere. */
  private relieve(): void {
    this.holdUp = undefined
    if (this.assignments.length < 2 || this.verdict || this.dead) return
    const ms = performance.now() - this.began
    const left = HOLD_UP_MS - ms
    if (left > 0) {
      this.holdUp = setTimeout(() => this.relieve(), left)
      return
    }
    this.assignments[0]?.late(ms)
    this.sendJobs()
    this.releasing = true
    this.send({ type: 'release' })
    this.holdUp = setTimeout(() => this.kill('crowded', 'it held up other runs'), RELEASE_MS)
  }

  private released(count: number): void {
    clearTimeout(this.holdUp)
    this.holdUp = undefined
    this.releasing = false
    for (const assignment of this.assignments.splice(this.assignments.length - count)) assignment.back()
    if (this.assignments.length === 0) this.onIdle()
  }

  private failed(error: Error): void {
    this.judge('lost', `the child could not be started or reached: ${error.message}`)
    if (this.process.pid === undefined) this.exited(null, null)
  }

  private judge(cause: Death, reason: string): void {
    this.verdict ??= { cause, reason }
  }

  private exited(code: number | null, signal: string | null): void {
    if (this.dead) return
    this.dead = true
    const { cause, reason } = this.verdict ?? this.guess(code, signal)
    clearTimeout(this.holdUp)
    const others = this.assignments.splice(1)
    if (this.isBusy) this.settle({ kind: 'died', cause, reason, fresh: this.begun === 1 }, 0)
    else if (!this.verdict) this.logger.warn({ pid: this.pid, reason }, 'a child without a run ended')
    for (const other of others) other.back()
    this.onExit()
  }

  private guess(code: number | null, signal: string | null): { cause: Death; reason: string } {
    const reason = `ended by ${signal ?? `exit code ${code}`}; ${this.stderr.trim()}`
    if (signal !== 'SIGKILL') return { cause: 'defect', reason }
    const [first] = this.assignments
    const large = first !== undefined && this.rssMb > first.memoryMb * SUSPECT
    return { cause: large ? 'out-of-memory' : 'lost', reason }
  }

  private settle(ended: Ended, ms: number): void {
    const assignment = this.assignments.shift()
    this.idleSince = performance.now()
    if (this.assignments.length > 0) this.begin()
    assignment?.done(ended, ms)
  }

  /** What plugins print is for who looks for it. */
  private print(stream: string, chunk: Buffer): void {
    if (!this.logger.isLevelEnabled('debug')) return
    const { runId } = this.assignments[0]?.job ?? {}
    this.logger.debug(
      { pid: this.pid, run_id: runId, stream, text: chunk.toString().slice(0, TAIL_CHARS) },
      'a child printed',
    )
  }
}
