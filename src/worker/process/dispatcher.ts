/**
 * Sends each run to a process with room for it, and opens processes for the runs that find none. The simulation uses it
 * too, on simulated processes.
 *
 * @module
 */
import { clock } from '../../async/clock.ts'
import { setTimeout } from '../../async/timers.ts'
import { Execution, type ExecutionDeps, type Request } from './execution.ts'
import type { CauseOfDeath } from './execution-end.ts'
import { Deaths, keyOf, lacking, placeFor } from './placement.ts'
import type { PluginProcess } from './plugin-process.ts'

export type DispatcherOptions = {
  readonly runsPerProcess: number
  readonly shared: Omit<ExecutionDeps, 'waiting'>
  /** opens a process that has no runs yet; it is one of {@link Dispatcher.processes}, and may be warm */
  readonly open: () => PluginProcess
}

/** How long runs wait for room in a process of theirs before another one is opened, in milliseconds. */
const GROW_MS = 10
/** A process that dies before its first run would be started again at once, for ever. In milliseconds. */
const STILLBORN_MS = 1000

export class Dispatcher {
  /** those that have not exited; whoever starts one adds it */
  readonly processes = new Set<PluginProcess>()
  /** executions that have no process yet, in the order of their arrival */
  readonly waiting = new Set<Execution>()
  private readonly executionDeps: ExecutionDeps
  private readonly deaths = new Deaths()
  private lastNumber = 0
  /** the keys whose runs still wait for room before more processes are opened */
  private readonly growing = new Set<string>()
  private stopped: (() => void) | undefined

  constructor(private readonly options: DispatcherOptions) {
    this.executionDeps = { ...options.shared, waiting: this.waiting }
  }

  get isStopped(): boolean {
    return this.stopped !== undefined
  }

  /** Executes a run as soon as a process has room for it. */
  execute(request: Request): Execution {
    const execution = new Execution(++this.lastNumber, request, this.executionDeps)
    if (this.isStopped) execution.kill('the worker stops')
    else {
      this.waiting.add(execution)
      this.serve()
    }
    return execution
  }

  /**
   * Sends waiting runs to processes with room, and opens processes for the others.
   *
   * @param ripe the key whose runs have waited long enough for a process of theirs
   */
  serve(ripe?: string): void {
    if (this.isStopped) return
    const left = new Map<string, Execution[]>()
    for (const execution of this.waiting) {
      const key = this.keyOf(execution.request)
      const others = left.get(key)
      // Runs of one key keep their order.
      const process = others ? undefined : placeFor(this.processes, key, this.mostOf(execution.request))
      if (process) {
        this.waiting.delete(execution)
        execution.begin(process)
      } else if (others) others.push(execution)
      else left.set(key, [execution])
    }
    let hasWarm = false
    for (const [key, executions] of left) hasWarm = this.grow(key, executions, key === ripe) || hasWarm
    if (hasWarm) this.serve()
  }

  /** A process has exited. @param cause undefined: it was idle */
  exited(process: PluginProcess, cause: CauseOfDeath | undefined): void {
    this.processes.delete(process)
    if (this.stopped) {
      if (this.processes.size === 0) this.stopped()
      return
    }
    if (process.source !== undefined && cause !== undefined)
      this.deaths.record(process.source, cause, clock.monotonic())
    if (process.hasServed) this.serve()
    else setTimeout(() => this.serve(), STILLBORN_MS)
  }

  /** Kills all processes together with their runs. Resolves when they have exited. */
  async stop(): Promise<void> {
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    this.stopped = resolve
    for (const execution of [...this.waiting]) execution.kill('the worker stops')
    for (const process of this.processes) process.kill('killed', 'the worker stops')
    if (this.processes.size > 0) await gone
  }

  /**
   * Opens the processes that runs with one key lack.
   *
   * @param executions those that wait
   * @param isRipe they have waited long enough
   * @returns whether one of the processes can take a run at once
   */
  private grow(key: string, executions: readonly Execution[], isRipe: boolean): boolean {
    const [first] = executions
    if (!first || this.growing.has(key)) return false
    const { name } = first.request.source
    const own = [...this.processes].filter((process) => process.key === key)
    const waitMs = Math.max(own.length > 0 ? GROW_MS : 0, this.deaths.waitMs(name, clock.monotonic()))
    if (waitMs > 0 && !isRipe) {
      this.growing.add(key)
      setTimeout(() => {
        this.growing.delete(key)
        this.serve(key)
      }, waitMs)
      return false
    }
    let hasWarm = false
    for (let more = lacking(own, key, this.mostOf(first.request), executions.length); more > 0; more--) {
      const process = this.options.open()
      process.key = key
      process.source = name
      hasWarm ||= process.state === 'accepting'
    }
    return hasWarm
  }

  private keyOf({ source, account, state, alone }: Request): string {
    const placed = { source: source.name, account, signedIn: state !== undefined, alone }
    return keyOf(placed, this.options.runsPerProcess)
  }

  private mostOf({ source }: Request): number {
    return this.deaths.most(source.name, this.options.runsPerProcess, clock.monotonic())
  }
}
