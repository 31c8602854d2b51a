/**
 * The child processes: one always warm, more when runs wait for one. Each executes one run at a time; only runs of tasks
 * that are very short wait behind each other, and go elsewhere as soon as one takes longer. Whatever a plugin does to
 * its process ends that process alone.
 *
 * @module
 */
import type { Logger } from '../logger.ts'
import { BrowserHost, type SignInWanted } from './browser/host.ts'
import type { SignInHandle } from './browser/sign-in.ts'
import { Child } from './child-process.ts'
import { Durations } from './durations.ts'
import { Execution, type Request } from './execution.ts'
import { Paces } from './pace.ts'
import type { Setup } from './protocol.ts'
import { residentMb } from './rss.ts'
import { mustWatchParent, spawnChild } from './spawn.ts'

export type PoolSettings = {
  /** the most children at once */
  readonly size: number
  readonly userAgent: string
  /** by family: where its requests go instead */
  readonly origins: ReadonlyMap<string, string>
  readonly proxyUrl: string | null
  /** CHROMIUM_PATH; null: one is looked for */
  readonly chromiumPath: string | null
}

/** Between the looks at the children, in milliseconds. */
const WATCH_MS = 250
/** A look that comes so much later than it should means that the service itself stood still. */
const STOOD_STILL_MS = 3000
/** Runs wait so long for a child that is about to be free before another one is started, in milliseconds. */
const GROW_MS = 10
/** After a child that died before it was of any use. */
const GROW_AGAIN_MS = 1000
const IDLE_MS = 30_000
/** A child is replaced after so many runs, or when it has grown so large. Starting one costs as much as 1,000 short runs. */
const MOST_RUNS = 20_000
const LARGE_MB = 300
/** Pages at once in the browser, each with a process of 100 to 300 MiB. */
const MOST_PAGES = 8

export class ChildPool {
  private readonly children = new Set<Child>()
  private readonly waiting = new Set<Execution>()
  private readonly paces = new Paces()
  private readonly browser: BrowserHost
  private readonly durations = new Durations()
  private readonly setup: Setup
  private watching: ReturnType<typeof setInterval> | undefined
  private growing: ReturnType<typeof setTimeout> | undefined
  private looked = performance.now()
  private stopped: (() => void) | undefined

  constructor(
    private readonly settings: PoolSettings,
    private readonly logger: Logger,
  ) {
    this.browser = new BrowserHost({ ...settings, most: Math.min(settings.size, MOST_PAGES) }, logger)
    this.setup = {
      type: 'setup',
      userAgent: settings.userAgent,
      origins: Object.fromEntries(settings.origins),
      proxied: settings.proxyUrl !== null,
      watchParent: mustWatchParent,
    }
  }

  /** Children that live. */
  get count(): number {
    return this.children.size
  }

  /** Starts the first child, so that the first run finds it warm. */
  start(): void {
    if (this.watching) return
    this.watching = setInterval(() => void this.watch(), WATCH_MS)
    this.spawn()
  }

  /** Executes a run as soon as a child is free. */
  execute(request: Request): Execution {
    const execution = new Execution(request, this.paces, this.browser, this.durations, {
      withdraw: (it) => this.waiting.delete(it),
      place: (it) => this.place(it),
    })
    this.place(execution)
    return execution
  }

  /** Opens a page in which a person signs in; see {@link BrowserHost.signIn}. */
  signIn(wanted: SignInWanted): Promise<SignInHandle> {
    return this.browser.signIn(wanted)
  }

  /** Whether a run of the task would be executed at once, or behind others that are as short. */
  mayShare(taskKey: string): boolean {
    if (this.waiting.size > 0 || !this.durations.isShort(taskKey)) return false
    return this.childFor(taskKey, false) !== undefined
  }

  private place(execution: Execution): void {
    const { fresh, job } = execution.request
    const child = this.childFor(job.taskKey, fresh)
    if (this.stopped) execution.kill('the worker stops')
    else if (child) execution.begin(child)
    else {
      this.waiting.add(execution)
      this.grow()
    }
  }

  private childFor(taskKey: string, fresh: boolean): Child | undefined {
    return this.shared(taskKey, fresh) ?? this.warmest(fresh)
  }

  /** A child at work, behind whose runs a short one may wait. */
  private shared(taskKey: string, fresh: boolean): Child | undefined {
    if (fresh || !this.durations.isShort(taskKey)) return undefined
    for (const child of this.children) if (child.canShare) return child
    return undefined
  }

  /** Ends all children at once, and their runs with them. Resolves when they are gone. */
  async stop(): Promise<void> {
    clearInterval(this.watching)
    clearTimeout(this.growing)
    const gone = new Promise<void>((go) => {
      this.stopped = go
    })
    for (const execution of [...this.waiting]) execution.kill('the worker stops')
    for (const child of this.children) child.kill('killed', 'the worker stops')
    this.paces.stop()
    if (this.children.size > 0) await gone
    await this.browser.stop()
  }

  /** The idle child that was used last, so that the others may go. */
  private warmest(fresh: boolean): Child | undefined {
    let best: Child | undefined
    for (const child of this.children) {
      if (!child.isIdle || (fresh && child.runs > 0)) continue
      if (!best || child.idleSince > best.idleSince) best = child
    }
    return best
  }

  private spawn(): void {
    const { proxyUrl, origins } = this.settings
    const direct = [...origins.values()].map((origin) => new URL(origin).hostname)
    const child: Child = new Child(
      spawnChild({ proxyUrl, direct }),
      this.setup,
      this.logger,
      () => this.serve(child),
      () => this.exited(child),
    )
    this.children.add(child)
  }

  /** Starts children for runs that still wait in a moment: most runs are so short that a child is free by then. */
  private grow(waitMs = GROW_MS): void {
    if (this.growing || this.stopped) return
    this.growing = setTimeout(() => {
      this.growing = undefined
      this.shareOut()
      const starting = [...this.children].filter((child) => child.isStarting).length
      const lacking = this.children.size < this.settings.size && starting < this.waiting.size
      if (!lacking && this.children.size > 0) return
      this.spawn()
      if (this.waiting.size > 0) this.grow()
    }, waitMs)
  }

  /** Runs that wait may have turned out to be short since they came. */
  private shareOut(): void {
    for (const execution of this.waiting) {
      const { fresh, job } = execution.request
      const child = this.shared(job.taskKey, fresh)
      if (!child) continue
      this.waiting.delete(execution)
      execution.begin(child)
    }
  }

  /** Gives an idle child its next run, or lets it go. */
  private serve(child: Child): void {
    if (this.stopped || !child.isIdle) return
    if (child.runs >= MOST_RUNS || child.rssMb > LARGE_MB) {
      child.kill('killed', 'replaced')
      return
    }
    for (const execution of this.waiting) {
      if (execution.request.fresh && child.runs > 0) continue
      this.waiting.delete(execution)
      execution.begin(child)
      return
    }
    // Only runs that want a fresh child wait: this one makes room for it.
    if (this.waiting.size > 0 && this.children.size >= this.settings.size) child.kill('killed', 'replaced')
  }

  private exited(child: Child): void {
    this.children.delete(child)
    if (!this.stopped) this.grow(child.runs > 0 ? GROW_MS : GROW_AGAIN_MS)
    else if (this.children.size === 0) this.stopped()
  }

  private async watch(): Promise<void> {
    const now = performance.now()
    const resumed = now - this.looked > WATCH_MS + STOOD_STILL_MS
    this.looked = now
    const pids = [...this.children].flatMap(({ pid, isBusy }) => (isBusy ? (pid ?? []) : []))
    const found = pids.length > 0 ? residentMb(pids) : new Map<number, number>()
    const sizes = found instanceof Map ? found : await found
    for (const child of this.children) {
      child.rssMb = sizes.get(child.pid ?? -1) ?? child.rssMb
      child.watch(now, resumed)
      if (child.isIdle && now - child.idleSince > IDLE_MS && this.children.size > 1)
        child.kill('killed', 'idle')
    }
  }
}
