/**
 * The pool of child processes: one is always warm, more are started when runs wait. Each child belongs to one account,
 * so that leftovers of a run never meet another account's run. It is kept warm for its account for a while: this costs
 * memory, but a new process costs 70 ms of a core. A child executes one run at a time. A plugin that crashes ends only
 * its own process.
 *
 * @module
 */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { clock } from '../../async/clock.ts'
import { clearInterval, clearTimeout, setInterval, setTimeout, type Timer } from '../../async/timers.ts'
import { BrowserHost } from '../../browser/host/host.ts'
import type { Config } from '../../config.ts'
import type { Logger } from '../../logger.ts'
import { RateLimiter } from '../../net/rate-limiter.ts'
import { memoryBytes, residentMb } from '../../process/memory.ts'
import { mustWatchParent, spawnIsolated } from '../../process/spawn.ts'
import { userAgentOf } from '../../version.ts'
import { Child } from './child-process.ts'
import { Execution, type Request } from './execution.ts'
import type { Setup } from './protocol.ts'
import { openWorkFolder, removeFolder, removeSoon, Unfinished } from './work-folder.ts'

export type PoolSettings = Pick<
  Config,
  | ('workerConcurrency' | 'dataDir' | 'pluginsDir')
  | ('sourceOrigins' | 'proxyUrl' | 'chromiumPath' | 'contact')
>

const CHILD = new URL('./child/main.ts', import.meta.url)
/** The interval between checks of the children, in milliseconds. */
const WATCH_MS = 250
/** How long runs wait for a busy child to become free before another child is started, in milliseconds. */
const GROW_MS = 10
/** The same after a child died before its first run, in milliseconds. */
const GROW_AGAIN_MS = 1000
const IDLE_MS = 120_000
/** Unshared memory of an idle child, in bytes: 22 MiB were measured after runs of small tasks. */
const IDLE_BYTES = 24 * 1024 * 1024
/** The most idle children kept warm: they may take an eighth of the memory of the machine or container. */
const MOST_WARM = Math.max(1, Math.min(64, Math.floor(memoryBytes() / 8 / IDLE_BYTES)))
/** A child is replaced after this many runs or above this size. Starting a child costs as much as 1,000 short runs. */
const MOST_RUNS = 20_000
const LARGE_MB = 300
/** The most pages open at once in the browser; each has a process of 100 to 300 MiB. */
const MOST_PAGES = 8

/** A run that a pool executes, or will execute. */
export type RunExecution = Pick<Execution, 'result' | 'changes' | 'folder' | 'abort' | 'kill' | 'answer'>

/** An executor of runs: {@link ChildPool}, or its replacement in a simulation. */
export type RunPool = Pick<ChildPool, 'count' | 'folder' | 'start' | 'stop'> & {
  readonly unfinished: Pick<Unfinished, 'drop'>
  readonly browser: Pick<BrowserHost, 'signIn'>
  execute(request: Request): RunExecution
}

export class ChildPool {
  /** accessible only to the service, on the disk where runs write their files */
  readonly folder: string
  readonly unfinished: Unfinished
  private readonly children = new Set<Child>()
  /** executions that have no child yet */
  readonly waiting = new Set<Execution>()
  readonly rateLimiter: RateLimiter
  readonly browser: BrowserHost
  private readonly setup: Setup
  private watching: Timer | undefined
  private growing: Timer | undefined
  private stopped: (() => void) | undefined

  constructor(
    private readonly settings: PoolSettings,
    private readonly logger: Logger,
  ) {
    const { workerConcurrency, dataDir, sourceOrigins, proxyUrl, chromiumPath, contact } = settings
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
    const most = Math.min(workerConcurrency, MOST_PAGES)
    this.browser = new BrowserHost({ origins, proxyUrl, chromiumPath, most }, logger)
    const userAgent = userAgentOf(settings)
    this.setup = { type: 'setup', userAgent, origins, proxyUrl, watchParent: mustWatchParent() }
  }

  /** The number of live children. */
  get count(): number {
    return this.children.size
  }

  /** Starts the first child, so that the first run finds it warm. */
  start(): void {
    if (this.watching) return
    this.watching = setInterval(() => void this.watch(), WATCH_MS)
    this.spawn()
  }

  /** Executes a run as soon as a child is available. */
  execute(request: Request): Execution {
    const execution = new Execution(request, this)
    const child = this.warmest(request.account, request.fresh)
    if (this.stopped) execution.kill('the worker stops')
    else if (child) execution.begin(child)
    else {
      this.waiting.add(execution)
      this.grow()
    }
    return execution
  }

  /** Kills all children together with their runs. Resolves when they have exited. */
  async stop(): Promise<void> {
    clearInterval(this.watching)
    clearTimeout(this.growing)
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    this.stopped = resolve
    for (const execution of [...this.waiting]) execution.kill('the worker stops')
    for (const child of this.children) child.kill('killed', 'the worker stops')
    if (this.children.size > 0) await gone
    await this.browser.stop()
    removeFolder(this.folder)
  }

  /** The account's most recently used idle child, so that the others can time out; otherwise an unused child. */
  private warmest(account: string, fresh: boolean): Child | undefined {
    const idle = [...this.children].filter((child) => child.isIdle && mayHave(child, account, fresh))
    const [own] = idle.filter(({ runs }) => runs > 0).toSorted((a, b) => b.idleSince - a.idleSince)
    return own ?? idle[0]
  }

  private spawn(): void {
    const { dataDir: hidden, pluginsDir } = this.settings
    const folder = mkdtempSync(join(this.folder, 'child-'))
    const child: Child = new Child(
      spawnIsolated(CHILD, { folder, hidden, pluginsDir }),
      folder,
      this.setup,
      this.logger,
      () => this.serve(child),
      () => this.exited(child),
    )
    this.children.add(child)
  }

  /** After a moment, starts children for runs that still wait. Most runs are so short that a child is free by then. */
  private grow(waitMs = GROW_MS): void {
    if (this.growing || this.stopped) return
    this.growing = setTimeout(() => {
      this.growing = undefined
      const idle = [...this.children].filter((child) => child.isIdle)
      const starting = [...this.children].filter((child) => child.isStarting).length
      const atWork = this.children.size - idle.length
      const lacking = atWork < this.settings.workerConcurrency && starting < this.waiting.size
      if (!lacking && this.children.size > 0) return
      const [longestIdle] = idle.toSorted((a, b) => a.idleSince - b.idleSince)
      if (idle.length >= MOST_WARM) longestIdle?.kill('killed', 'replaced by a child of another account')
      this.spawn()
      if (this.waiting.size > 0) this.grow()
    }, waitMs)
  }

  /** Assigns an idle child its next run, or replaces the child. */
  private serve(child: Child): void {
    if (this.stopped || !child.isIdle) return
    if (child.runs >= MOST_RUNS || child.rssMb > LARGE_MB) {
      child.kill('killed', 'replaced')
      return
    }
    for (const execution of this.waiting) {
      const { account, fresh } = execution.request
      if (!mayHave(child, account, fresh)) continue
      this.waiting.delete(execution)
      execution.begin(child)
      return
    }
    if (this.waiting.size > 0) this.grow()
  }

  private exited(child: Child): void {
    this.children.delete(child)
    removeSoon(child.folder).catch((err) =>
      this.logger.warn(
        { err },
        "A child's folder could not be removed. It is removed when the worker stops.",
      ),
    )
    if (!this.stopped) this.grow(child.runs > 0 ? GROW_MS : GROW_AGAIN_MS)
    else if (this.children.size === 0) this.stopped()
  }

  private async watch(): Promise<void> {
    const pids = [...this.children].flatMap(({ pid, isBusy }) => (isBusy ? (pid ?? []) : []))
    const sizes = pids.length > 0 ? await residentMb(pids) : new Map<number, number>()
    for (const child of this.children) {
      child.rssMb = sizes.get(child.pid ?? -1) ?? child.rssMb
      child.watch()
      if (child.isIdle && clock.monotonic() - child.idleSince > IDLE_MS && this.children.size > 1)
        child.kill('killed', 'idle')
    }
  }
}

/** Whether an idle child may execute a run of an account. */
const mayHave = (child: Child, account: string, fresh: boolean): boolean =>
  (child.account === undefined || child.account === account) && !(fresh && child.runs > 0)
