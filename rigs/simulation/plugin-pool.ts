/**
 * A replacement for the pool: the service's own view of processes of plugins, on processes that are simulated. Which
 * process executes a run is decided as in the real pool.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process'
import { clock } from '../../src/async/clock.ts'
import { clearInterval, setInterval, setTimeout, type Timer } from '../../src/async/timers.ts'
import type { Logger } from '../../src/logger.ts'
import { SignInError } from '../../src/signin/browser/errors.ts'
import { Execution, type Request } from '../../src/worker/process/execution.ts'
import type { CauseOfDeath } from '../../src/worker/process/execution-end.ts'
import { Deaths, keyOf, lacking, placeFor } from '../../src/worker/process/placement.ts'
import { PluginProcess } from '../../src/worker/process/plugin-process.ts'
import type { RunExecution, RunPool } from '../../src/worker/process/pool.ts'
import type { Network } from './network.ts'
import { type Executed, SimulatedProcess } from './plugin-process.ts'

const SETUP = { type: 'setup', userAgent: 'x', origins: {}, proxyUrl: null, watchParent: false } as const
const WATCH_MS = 250

export type PoolDeps = {
  readonly network: Network
  readonly logger: Logger
  readonly runsPerProcess: number
  /** where processes note what they execute */
  readonly executed: Executed[]
}

/** The service's view of a simulated process, which has no pid by which it could be killed. */
class WatchedProcess extends PluginProcess {
  protected override endGroup(): void {
    this.process.kill()
  }
}

/** The pool of one node. */
export class SimulatedPool implements RunPool {
  readonly folder = 'nowhere'
  readonly unfinished = { give: () => false, keep() {}, drop() {} }
  readonly browser = { signIn: () => Promise.reject(new SignInError('no-browser')) }
  readonly waiting = new Set<Execution>()
  private readonly processes = new Set<PluginProcess>()
  private readonly growing = new Set<string>()
  private readonly deaths = new Deaths()
  private lastRun = 0
  private lastProcess = 0
  private watching: Timer | undefined
  private stopped: (() => void) | undefined

  constructor(private readonly deps: PoolDeps) {}

  get count(): number {
    return this.processes.size
  }

  start(): void {
    this.watching ??= setInterval(() => {
      for (const process of this.processes) process.watch()
    }, WATCH_MS)
  }

  figures(): [] {
    return []
  }

  execute(request: Request): RunExecution {
    // Simulated runs make no requests and open no pages.
    const execution = new Execution(++this.lastRun, request, this as never)
    if (this.stopped) execution.kill('the worker stops')
    else {
      this.waiting.add(execution)
      this.serve()
    }
    return {
      // Nothing may look for its files: a disk takes time that no seed controls.
      folder: undefined,
      end: execution.end,
      get changes() {
        return execution.changes
      },
      abort: () => execution.abort(),
      kill: (reason) => execution.kill(reason),
      answer: (answer) => execution.answer(answer),
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.watching)
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    this.stopped = resolve
    for (const execution of [...this.waiting]) execution.kill('the worker stops')
    for (const process of this.processes) process.kill('killed', 'the worker stops')
    if (this.processes.size > 0) await gone
  }

  /** Sends waiting runs to processes with room, and starts processes for the others. */
  private serve(): void {
    if (this.stopped) return
    const left = new Map<string, Execution>()
    for (const execution of this.waiting) {
      const key = this.keyOf(execution)
      const process = left.has(key) ? undefined : placeFor(this.processes, key, this.mostOf(execution))
      if (process) {
        this.waiting.delete(execution)
        execution.begin(process)
      } else if (!left.has(key)) left.set(key, execution)
    }
    for (const [key, first] of left) this.grow(key, first)
  }

  private keyOf({ request: { source, account, state, alone } }: Execution): string {
    const placed = { source: source.name, account, signedIn: state !== undefined, alone }
    return keyOf(placed, this.deps.runsPerProcess)
  }

  private mostOf({ request }: Execution): number {
    return this.deaths.most(request.source.name, this.deps.runsPerProcess, clock.monotonic())
  }

  /** Starts the processes that runs with one key lack. A source whose processes keep dying waits for them. */
  private grow(key: string, first: Execution): void {
    if (this.growing.has(key)) return
    const { name } = first.request.source
    const begin = () => {
      const waiting = [...this.waiting].filter((execution) => this.keyOf(execution) === key).length
      for (let more = lacking(this.processes, key, this.mostOf(first), waiting); more > 0; more--)
        this.spawn(key, name)
    }
    const waitMs = this.deaths.waitMs(name, clock.monotonic())
    if (waitMs === 0) {
      begin()
      return
    }
    this.growing.add(key)
    setTimeout(() => {
      this.growing.delete(key)
      if (!this.stopped) begin()
    }, waitMs)
  }

  private spawn(key: string, source: string): void {
    const { network, executed, logger } = this.deps
    const played = new SimulatedProcess(network, ++this.lastProcess, executed)
    const process: PluginProcess = new WatchedProcess(
      played as unknown as ChildProcess,
      this.folder,
      SETUP,
      logger,
      { onRoom: () => this.serve(), onExit: (cause) => this.exited(process, cause) },
    )
    process.key = key
    process.source = source
    this.processes.add(process)
  }

  private exited(process: PluginProcess, cause: CauseOfDeath | undefined): void {
    this.processes.delete(process)
    if (this.stopped) {
      if (this.processes.size === 0) this.stopped()
      return
    }
    if (process.source !== undefined && cause !== undefined)
      this.deaths.record(process.source, cause, clock.monotonic())
    this.serve()
  }
}
