/**
 * The pool of processes that execute plugins. A process belongs to a source and executes many runs at once: what most of
 * them do is wait for a site. One process is always warm for the next source. A plugin that breaks its process harms no
 * run: those that are not known to be the cause are executed again (see executing.ts).
 *
 * @module
 */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { clock } from '../../async/clock.ts'
import { clearInterval, setInterval, type Timer } from '../../async/timers.ts'
import { BrowserHost } from '../../browser/host/host.ts'
import type { Config } from '../../config.ts'
import type { Logger } from '../../logger.ts'
import type { ProcessFigures } from '../../metrics.ts'
import { type RateLimiter, rateLimiterOf } from '../../net/rate-limiter.ts'
import { residentMb } from '../../process/memory.ts'
import { mustWatchParent, spawnIsolated } from '../../process/spawn.ts'
import { userAgentOf } from '../../version.ts'
import { Dispatcher } from './dispatcher.ts'
import type { Execution, Request } from './execution.ts'
import type { CauseOfDeath } from './execution-end.ts'
import { PluginProcess } from './plugin-process.ts'
import { MOST_MESSAGE_BYTES, type Setup } from './protocol.ts'
import { openWorkFolder, removeFolder, removeSoon, Unfinished } from './work-folder.ts'

export type PoolSettings = Pick<
  Config,
  | ('runsPerProcess' | 'browserPages' | 'dataDir' | 'pluginsDir')
  | ('sourceOrigins' | 'sourceWays' | 'chromiumPath' | 'contact')
>

const CHILD = new URL('./child/main.ts', import.meta.url)
/** The interval between checks of the processes, in milliseconds. */
const WATCH_MS = 250
const IDLE_MS = 120_000
/** The most idle processes; with many sources and logins the longest idle one ends earlier. */
const MOST_IDLE = 16

/** A run that a pool executes, or will execute. */
export type RunExecution = Pick<
  Execution,
  'end' | 'changes' | 'usage' | 'folder' | 'abort' | 'kill' | 'answer'
>

/** An executor of runs: {@link ProcessPool}, or its replacement in a simulation. */
export type RunPool = Pick<ProcessPool, 'count' | 'folder' | 'start' | 'stop' | 'figures' | 'memoryMb'> & {
  readonly unfinished: Pick<Unfinished, 'drop'>
  readonly browser: Pick<BrowserHost, 'signIn' | 'isRunning' | 'userCount'>
  execute(request: Request): RunExecution
}

export class ProcessPool {
  /** accessible only to the service, on the disk where runs write their files */
  readonly folder: string
  readonly unfinished: Unfinished
  readonly browser: BrowserHost
  private readonly dispatcher: Dispatcher
  private readonly setup: Setup
  /** a process that is kept warm for the next source or login */
  private spare: PluginProcess | undefined
  private watching: Timer | undefined

  /**
   * @param onDeath called when a process with runs died otherwise than by the service's own wish
   * @param rateLimiter of all requests to sources in this process of the service
   */
  constructor(
    private readonly settings: PoolSettings,
    private readonly logger: Logger,
    private readonly onDeath: (source: string, cause: CauseOfDeath) => void = () => {},
    rateLimiter: RateLimiter = rateLimiterOf(settings),
  ) {
    const { browserPages: most, dataDir, sourceOrigins, chromiumPath } = settings
    // On the file system of the artifact store, if the store uses one.
    const workFolder = join(dataDir, 'work')
    this.unfinished = new Unfinished(join(workFolder, 'unfinished'), (err) =>
      logger.warn(
        { err },
        'An unfinished file could not be kept for the next attempt of its run, which starts from scratch.',
      ),
    )
    this.folder = openWorkFolder(workFolder, (path) => this.unfinished.rescue(path))
    const origins = Object.fromEntries(sourceOrigins)
    this.browser = new BrowserHost({ origins, chromiumPath, most }, logger)
    const { browser, unfinished } = this
    this.dispatcher = new Dispatcher({
      runsPerProcess: settings.runsPerProcess,
      shared: { rateLimiter, browser, unfinished },
      open: () => this.open(),
    })
    const userAgent = userAgentOf(settings)
    this.setup = { type: 'setup', userAgent, origins, watchParent: mustWatchParent() }
  }

  /** The number of live processes. */
  get count(): number {
    return this.dispatcher.processes.size
  }

  /** The processes of each source by their state. The warm process has no source yet and is left out. */
  figures(): ProcessFigures[] {
    const all = new Map<string, { -readonly [K in keyof ProcessFigures]: ProcessFigures[K] }>()
    for (const { source, state, runs } of this.dispatcher.processes) {
      if (source === undefined || state === 'killed') continue
      const figures = all.get(`${source} ${state}`) ?? { source, state, processes: 0, runs: 0 }
      figures.processes++
      figures.runs += runs
      all.set(`${source} ${state}`, figures)
    }
    return [...all.values()]
  }

  /** The resident memory of the processes of each source in MiB, as it was last measured. */
  memoryMb(): ReadonlyMap<string, number> {
    const all = new Map<string, number>()
    for (const { source, rssMb } of this.dispatcher.processes)
      if (source !== undefined) all.set(source, (all.get(source) ?? 0) + rssMb)
    return all
  }

  /** Starts the first process, so that the first run finds it warm. */
  start(): void {
    if (this.watching) return
    this.watching = setInterval(() => void this.watch(), WATCH_MS)
    this.spare = this.spawn()
  }

  /** Executes a run as soon as a process has room for it. */
  execute(request: Request): Execution {
    return this.dispatcher.execute(request)
  }

  /** Kills all processes together with their runs. Resolves when they have exited. */
  async stop(): Promise<void> {
    clearInterval(this.watching)
    await this.dispatcher.stop()
    await this.browser.stop()
    removeFolder(this.folder)
  }

  /** The warm process, or a new one, for runs of a source. */
  private open(): PluginProcess {
    const process = this.isWarm ? this.spare! : this.spawn()
    this.spare = this.spawn()
    return process
  }

  private get isWarm(): boolean {
    return this.spare !== undefined && this.spare.state !== 'killed'
  }

  private spawn(): PluginProcess {
    const { dataDir: hidden, pluginsDir } = this.settings
    const folder = mkdtempSync(join(this.folder, 'child-'))
    const process: PluginProcess = new PluginProcess(
      spawnIsolated(CHILD, { folder, hidden, pluginsDir, mostMessageBytes: MOST_MESSAGE_BYTES }),
      folder,
      this.setup,
      this.logger,
      { onRoom: () => this.dispatcher.serve(), onExit: (cause) => this.exited(process, cause) },
    )
    this.dispatcher.processes.add(process)
    return process
  }

  private exited(process: PluginProcess, cause: CauseOfDeath | undefined): void {
    const { source } = process
    removeSoon(process.folder).catch((err) =>
      this.logger.warn(
        { err },
        "A process's folder could not be removed. It is removed when the worker stops.",
      ),
    )
    if (source !== undefined && cause !== undefined && cause !== 'killed' && !this.dispatcher.isStopped)
      this.onDeath(source, cause)
    this.dispatcher.exited(process, cause)
  }

  private async watch(): Promise<void> {
    const { processes, waiting } = this.dispatcher
    const pids = [...processes].flatMap(({ pid, runs, rssMb }) =>
      pid && (runs > 0 || rssMb === 0) ? pid : [],
    )
    const sizes = pids.length > 0 ? await residentMb(pids) : new Map<number, number>()
    for (const process of processes) {
      process.rssMb = sizes.get(process.pid ?? -1) ?? process.rssMb
      process.watch()
    }
    this.endIdle()
    if (waiting.size === 0 && !this.isWarm && !this.dispatcher.isStopped) this.spare = this.spawn()
  }

  private endIdle(): void {
    const now = clock.monotonic()
    const idle = [...this.dispatcher.processes]
      .filter(({ key, state, runs }) => key !== undefined && state === 'accepting' && runs === 0)
      .sort((a, b) => a.idleSince - b.idleSince)
    const tooMany = idle.length - MOST_IDLE
    for (const [i, process] of idle.entries())
      if (i < tooMany || now - process.idleSince > IDLE_MS) process.kill('killed', 'idle')
  }
}
