/**
 * The child processes: one always warm, more when runs wait for one. Each executes one run at a time; only runs of tasks
 * that are very short wait behind each other, and go elsewhere as soon as one takes longer. Whatever a plugin does to
 * its process ends that process alone.
 *
 * @module
 */
import type { Logger } from '../logger.ts'
import type { Pace } from '../plugin.ts'
import { Child, type Ended, type Said } from './child-process.ts'
import { Durations } from './durations.ts'
import { Paces, type Permit } from './pace.ts'
import type { Job, Setup } from './protocol.ts'
import { residentMb } from './rss.ts'
import { mustWatchParent, spawnChild } from './spawn.ts'

export type PoolSettings = {
  /** the most children at once */
  readonly size: number
  readonly userAgent: string
  /** by family: where its requests go instead */
  readonly origins: ReadonlyMap<string, string>
  readonly proxyUrl: string | null
}

/** A run to be executed. */
export type Request = {
  readonly job: Job
  /** MiB that its process may take */
  readonly memoryMb: number
  readonly source: { readonly name: string; readonly pace?: Pace | undefined }
  /** only in a process that has had no run: one that has may have been spoilt by it */
  readonly fresh: boolean
  /** what it brings until its end */
  readonly hear: (said: Exclude<Said, { readonly type: 'ask' | 'over' }>) => void
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

export class ChildPool {
  private readonly children = new Set<Child>()
  private readonly waiting = new Set<Execution>()
  private readonly paces = new Paces()
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
    this.watching = setInterval(() => void this.watch(), WATCH_MS)
    this.spawn()
  }

  /** Executes a run as soon as a child is free. */
  execute(request: Request): Execution {
    const execution = new Execution(request, this.paces, this.durations, {
      withdraw: (it) => this.waiting.delete(it),
      place: (it) => this.place(it),
    })
    this.place(execution)
    return execution
  }

  private place(execution: Execution): void {
    const child = this.shared(execution.request) ?? this.warmest(execution.request.fresh)
    if (this.stopped) execution.kill('the worker stops')
    else if (child) execution.begin(child)
    else {
      this.waiting.add(execution)
      this.grow()
    }
  }

  /** A child at work, behind whose runs a short one may wait. */
  private shared({ fresh, job }: Request): Child | undefined {
    if (fresh || !this.durations.isShort(job.taskKey)) return undefined
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
      const starting = [...this.children].filter((child) => child.isStarting).length
      const lacking = this.children.size < this.settings.size && starting < this.waiting.size
      if (!lacking && this.children.size > 0) return
      this.spawn()
      if (this.waiting.size > 0) this.grow()
    }, waitMs)
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

/** A run under way in the pool, or on its way into it. */
export class Execution {
  /** Resolves once, with how it ended; never rejects. */
  readonly ended: Promise<Ended>
  private readonly end: (ended: Ended) => void
  private readonly permits = new Map<number, { readonly host: string; readonly permit: Permit }>()
  private child: Child | undefined
  private killed = false

  constructor(
    readonly request: Request,
    private readonly paces: Paces,
    private readonly durations: Durations,
    private readonly pool: {
      /** it waits no longer */
      withdraw(it: Execution): void
      /** it wants a child, or has to wait for one */
      place(it: Execution): void
    },
  ) {
    const { promise, resolve } = Promise.withResolvers<Ended>()
    this.ended = promise
    this.end = resolve
  }

  /** Used by the pool. */
  begin(child: Child): void {
    this.child = child
    const { job, memoryMb, fresh } = this.request
    child.assign({
      job,
      memoryMb,
      short: !fresh && this.durations.isShort(job.taskKey),
      hear: (said) => this.hear(said),
      done: (ended, ms) => this.done(ended, ms),
      back: () => this.back(),
    })
  }

  /** Asks the plugin to stop; what it has brought is kept. One that has not begun is over at once. */
  abort(): void {
    if (this.child) this.child.abort(this.request.job)
    else this.kill('stopped before it began')
  }

  /** Ends it now. */
  kill(reason: string): void {
    if (this.child?.executes(this.request.job)) this.child.kill('killed', reason)
    else {
      this.child?.abort(this.request.job)
      this.pool.withdraw(this)
      this.killed = true
      this.end({ kind: 'died', cause: 'killed', reason, fresh: true })
    }
  }

  /** Answers `file`: it is stored, or why it is not. */
  filed(id: number, error: string | null): void {
    this.child?.send({ type: 'filed', id, error })
  }

  private hear(said: Said): void {
    if (said.type === 'ask') this.ask(said.id, said.host)
    else if (said.type === 'over') this.over(said.id, said.pauseMs)
    else this.request.hear(said)
  }

  private ask(id: number, host: string): void {
    const { source, job } = this.request
    if (Date.now() + this.paces.pausedMs(source.name, host) >= job.until) {
      this.child?.send({ type: 'go', id, paused: true })
      return
    }
    const go = () => this.child?.send({ type: 'go', id, paused: false })
    this.permits.set(id, { host, permit: this.paces.ask(source.name, host, source.pace, go) })
  }

  private over(id: number, pauseMs: number): void {
    const held = this.permits.get(id)
    if (!held) return
    this.permits.delete(id)
    if (pauseMs > 0) this.paces.pause(this.request.source.name, held.host, pauseMs)
    held.permit.release()
  }

  /** The run before it took too long, or ended its child: it has not begun. */
  private back(): void {
    this.child = undefined
    if (!this.killed) this.pool.place(this)
  }

  private done(ended: Ended, ms: number): void {
    this.child = undefined
    if (ended.kind === 'end') this.durations.note(this.request.job.taskKey, ms)
    for (const { permit } of this.permits.values()) permit.release()
    this.permits.clear()
    this.end(ended)
  }
}
