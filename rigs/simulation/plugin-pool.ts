/**
 * A replacement for the pool: the service's own view of processes of plugins, on processes that are simulated. Which
 * process executes a run is decided as in the real pool.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process'
import { clearInterval, setInterval, type Timer } from '../../src/async/timers.ts'
import type { Logger } from '../../src/logger.ts'
import { SignInError } from '../../src/signin/browser/errors.ts'
import { Dispatcher } from '../../src/worker/process/dispatcher.ts'
import type { Request } from '../../src/worker/process/execution.ts'
import { PluginProcess } from '../../src/worker/process/plugin-process.ts'
import type { RunExecution, RunPool } from '../../src/worker/process/pool.ts'
import type { Network } from './network.ts'
import { type Executed, SimulatedProcess } from './plugin-process.ts'

const SETUP = { type: 'setup', userAgent: 'x', origins: {}, watchParent: false } as const
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
  readonly browser = {
    signIn: () => Promise.reject(new SignInError('no-browser')),
    isRunning: false,
    userCount: 0,
  }
  private readonly dispatcher: Dispatcher
  private lastProcess = 0
  private watching: Timer | undefined

  constructor(private readonly deps: PoolDeps) {
    this.dispatcher = new Dispatcher({
      runsPerProcess: deps.runsPerProcess,
      // Simulated runs make no requests and open no pages.
      shared: { unfinished: this.unfinished } as never,
      open: () => this.open(),
    })
  }

  get count(): number {
    return this.dispatcher.processes.size
  }

  start(): void {
    this.watching ??= setInterval(() => {
      for (const process of this.dispatcher.processes) process.watch()
    }, WATCH_MS)
  }

  figures(): [] {
    return []
  }

  memoryMb(): ReadonlyMap<string, number> {
    return new Map()
  }

  execute(request: Request): RunExecution {
    const execution = this.dispatcher.execute(request)
    return {
      // Nothing may look for its files: a disk takes time that no seed controls.
      folder: undefined,
      end: execution.end,
      get changes() {
        return execution.changes
      },
      get usage() {
        return execution.usage
      },
      abort: () => execution.abort(),
      kill: (reason) => execution.kill(reason),
      answer: (answer) => execution.answer(answer),
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.watching)
    await this.dispatcher.stop()
  }

  private open(): PluginProcess {
    const { network, executed, logger } = this.deps
    const played = new SimulatedProcess(network, ++this.lastProcess, executed)
    const process: PluginProcess = new WatchedProcess(
      played as unknown as ChildProcess,
      this.folder,
      SETUP,
      logger,
      {
        onRoom: () => this.dispatcher.serve(),
        onExit: (cause) => this.dispatcher.exited(process, cause),
      },
    )
    this.dispatcher.processes.add(process)
    return process
  }
}
