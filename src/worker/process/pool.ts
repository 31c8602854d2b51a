/**
 * The pool of processes that execute plugins. A process belongs to a source and executes many runs at once: what most of
 * them do is wait for a site. One process is always warm for the next source. A plugin that breaks its process harms no
 * run: those that are not known to be the cause are executed again (see attempt.ts).
 *
 * @module
 */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { clock } from '../../async/clock.ts'
import { clearInterval, setInterval, setTimeout, type Timer } from '../../async/timers.ts'
import { BrowserHost } from '../../browser/host/host.ts'
import type { Config } from '../../config.ts'
import type { Logger } from '../../logger.ts'
import type { ProcessFigures } from '../../metrics.ts'
import { RateLimiter } from '../../net/rate-limiter.ts'
import { residentMb } from '../../process/memory.ts'
import { mustWatchParent, spawnIsolated } from '../../process/spawn.ts'
import { userAgentOf } from '../../version.ts'
import { Execution, type Request } from './execution.ts'
import type { CauseOfDeath } from './execution-end.ts'
import { Deaths, keyOf, lacking, placeFor } from './placement.ts'
import { PluginProcess } from './plugin-process.ts'
import { MOST_MESSAGE_BYTES, type Setup } from './protocol.ts'
import { openWorkFolder, removeFolder, removeSoon, Unfinished } from './work-folder.ts'

export type PoolSettings = Pick<
  Config,
  | ('runsPerProcess' | 'browserPages' | 'dataDir' | 'pluginsDir')
  | ('sourceOrigins' | 'proxyUrl' | 'chromiumPath' | 'contact')
>

const CHILD = new URL('./child/main.ts', import.meta.url)
/** The interval between checks of the processes, in milliseconds. */
const WATCH_MS = 250
/** How long runs wait for room in a process of theirs before another one is started, in milliseconds. */
const GROW_MS = 10
const IDLE_MS = 120_000
/** The most idle processes; with many sources and logins the longest idle one ends earlier. */
const MOST_IDLE = 16

/** A run that a pool executes, or will execute. */
export type RunExecution = Pick<Execution, 'end' | 'changes' | 'folder' | 'abort' | 'kill' | 'answer'>

/** An executor of runs: {@link ProcessPool}, or its replacement in a simulation. */
export type RunPool = Pick<ProcessPool, 'count' | 'folder' | 'start' | 'stop' | 'figures'> & {
  readonly unfinished: Pick<Unfinished, 'drop'>
  readonly browser: Pick<BrowserHost, 'signIn'>
  execute(request: Request): RunExecution
}

export class ProcessPool {
  /** accessible only to the service, on the disk where runs write their files */
  readonly folder: string
  readonly unfinished: Unfinished
  private readonly processes = new Set<PluginProcess>()
  /** executions that have no process yet, in the order of their arrival */
  readonly waiting = new Set<Execution>()
  readonly rateLimiter: RateLimiter
  readonly browser: BrowserHost
  private readonly setup: Setup
  private readonly deaths = new Deaths()
  private lastNumber = 0
  private watching: Timer | undefined
  /** the keys for which more processes are about to be started */
  private readonly growing = new Set<string>()
  private stopped: (() => void) | undefined

  /** @param onDeath called when a process with runs died otherwise than by the service's own wish */
  constructor(
    private readonly settings: PoolSettings,
    private readonly logger: Logger,
    private readonly onDeath: (source: string, cause: CauseOfDeath) => void = () => {},
  ) {
    const { browserPages: most, dataDir, sourceOrigins, proxyUrl, chromiumPath, contact } = settings
    this.rateLimiter = new RateLimiter(undefined, {
      replaced: new Set(sourceOrigins.keys()),
      hasContact: contact !== null,
    })
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
    this.browser = new BrowserHost({ origins, proxyUrl, chromiumPath, most }, logger)
    const userAgent = userAgentOf(settings)
    this.setup = { type: 'setup', userAgent, origins, proxyUrl, watchParent: mustWatchParent() }
  }

  /** The number of live processes. */
  get count(): number {
    return this.processes.size
  }

  /** The processes of each source by their state. The warm process has no source yet and is left out. */
  figures(): ProcessFigures[] {
    const all = new Map<string, { -readonly [K in keyof ProcessFigures]: ProcessFigures[K] }>()
    for (const { source, state, runs } of this.processes) {
      if (source === undefined || state === 'killed') continue
      const figures = all.get(`${source} ${state}`) ?? { source, state, processes: 0, runs: 0 }
      figures.processes++
      figures.runs += runs
      all.set(`${source} ${state}`, figures)
    }
    return [...all.values()]
  }

  /** Starts the first process, so that the first run finds it warm. */
  start(): void {
    if (this.watching) return
    this.watching = setInterval(() => void this.watch(), WATCH_MS)
    this.spawn()
  }

  /** Executes a run as soon as a process has room for it. */
  execute(request: Request): Execution {
    const execution = new Execution(++this.lastNumber, request, this)
    if (this.stopped) execution.kill('the worker stops')
    else {
      this.waiting.add(execution)
      this.serve()
    }
    return execution
  }

  /** Kills all processes together with their runs. Resolves when they have exited. */
  async stop(): Promise<void> {
    clearInterval(this.watching)
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    this.stopped = resolve
    for (const execution of [...this.waiting]) execution.kill('the worker stops')
    for (const process of this.processes) process.kill('killed', 'the worker stops')
    if (this.processes.size > 0) await gone
    await this.browser.stop()
    removeFolder(this.folder)
  }

  /** Sends waiting runs to processes with room, and starts processes for the others. */
  private serve(): void {
    if (this.stopped) return
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
    for (const [key, executions] of left) this.grow(key, executions)
  }

  private keyOf({ source, account, state, alone }: Request): string {
    const placed = { source: source.name, account, signedIn: state !== undefined, alone }
    return keyOf(placed, this.settings.runsPerProcess)
  }

  private mostOf({ source }: Request): number {
    return this.deaths.most(source.name, this.settings.runsPerProcess, clock.monotonic())
  }

  /** Starts the processes that runs with one key lack. @param executions those that wait */
  private grow(key: string, executions: readonly Execution[]): void {
    const [first] = executions
    if (!first || this.growing.has(key)) return
    const { source } = first.request
    const hasProcess = [...this.processes].some((process) => process.key === key)
    const waitMs = Math.max(hasProcess ? GROW_MS : 0, this.deaths.waitMs(source.name, clock.monotonic()))
    if (waitMs === 0) {
      this.begin(key, source.name, this.mostOf(first.request), executions.length)
      return
    }
    this.growing.add(key)
    setTimeout(() => {
      this.growing.delete(key)
      const waiting = [...this.waiting].filter(({ request }) => this.keyOf(request) === key)
      if (!this.stopped && waiting[0])
        this.begin(key, source.name, this.mostOf(waiting[0].request), waiting.length)
      this.serve()
    }, waitMs)
  }

  private begin(key: string, source: string, most: number, waiting: number): void {
    for (let more = lacking(this.processes, key, most, waiting); more > 0; more--) {
      const spare = [...this.processes].find(
        (process) => process.key === undefined && process.state !== 'killed',
      )
      const process = spare ?? this.spawn()
      process.key = key
      process.source = source
      if (spare?.state === 'accepting') this.serve()
    }
    this.spareOne()
  }

  /** Keeps one process warm for the next source or login. */
  private spareOne(): void {
    if (this.stopped) return
    const hasSpare = [...this.processes].some(({ key, state }) => key === undefined && state !== 'killed')
    if (!hasSpare) this.spawn()
  }

  private spawn(): PluginProcess {
    const { dataDir: hidden, pluginsDir } = this.settings
    const folder = mkdtempSync(join(this.folder, 'child-'))
    const process: PluginProcess = new PluginProcess(
      spawnIsolated(CHILD, { folder, hidden, pluginsDir, mostMessageBytes: MOST_MESSAGE_BYTES }),
      folder,
      this.setup,
      this.logger,
      { onRoom: () => this.serve(), onExit: (cause) => this.exited(process, cause) },
    )
    this.processes.add(process)
    return process
  }

  private exited(process: PluginProcess, cause: CauseOfDeath | undefined): void {
    const { source } = process
    this.processes.delete(process)
    removeSoon(process.folder).catch((err) =>
      this.logger.warn(
        { err },
        "A process's folder could not be removed. It is removed when the worker stops.",
      ),
    )
    if (this.stopped) {
      if (this.processes.size === 0) this.stopped()
      return
    }
    if (source !== undefined && cause !== undefined && cause !== 'killed') {
      this.deaths.record(source, cause, clock.monotonic())
      this.onDeath(source, cause)
    }
    // A process that dies before its first run would be started again at once, for ever.
    if (process.hasServed) this.serve()
    else setTimeout(() => this.serve(), 1000)
  }

  private async watch(): Promise<void> {
    const pids = [...this.processes].flatMap(({ pid, runs, rssMb }) =>
      pid && (runs > 0 || rssMb === 0) ? pid : [],
    )
    const sizes = pids.length > 0 ? await residentMb(pids) : new Map<number, number>()
    for (const process of this.processes) {
      process.rssMb = sizes.get(process.pid ?? -1) ?? process.rssMb
      process.watch()
    }
    this.endIdle()
    if (this.waiting.size === 0) this.spareOne()
  }

  private endIdle(): void {
    const now = clock.monotonic()
    const idle = [...this.processes]
      .filter(({ key, state, runs }) => key !== undefined && state === 'accepting' && runs === 0)
      .sort((a, b) => a.idleSince - b.idleSince)
    const tooMany = idle.length - MOST_IDLE
    for (const [i, process] of idle.entries())
      if (i < tooMany || now - process.idleSince > IDLE_MS) process.kill('killed', 'idle')
  }
}
