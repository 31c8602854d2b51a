/**
 * One execution of a run: waiting for a process, or in one.
 *
 * @module
 */
import { join } from 'node:path'
import { clock } from '../../async/clock.ts'
import type { BrowserHost, RunPages } from '../../browser/host/host.ts'
import type { Site } from '../../browser/page/requests.ts'
import { changesOfCookies, type StateChange } from '../../browser/page/state-changes.ts'
import type { PacedSource } from '../../net/pace.ts'
import type { RateLimiter, Release } from '../../net/rate-limiter.ts'
import { noUsage, plus, type Usage } from '../../net/transport/usage.ts'
import type { ExecutionEnd } from './execution-end.ts'
import type { RunMessage } from './from-child.ts'
import type { Placed } from './placement.ts'
import type { HostedRun, PluginProcess } from './plugin-process.ts'
import type { Job, RunNumber, WorkerAnswer } from './protocol.ts'
import { removeSoon, type Unfinished } from './work-folder.ts'

const MOST_REQUESTS = 10_000
/** The least pause of a host that is worth a word, in milliseconds. */
const TOLD_PAUSE_MS = 3000

/** A run to be executed. */
export type Request = {
  readonly job: Omit<Job, 'folder'>
  /** the run's account: in the rate limiter accounts take turns */
  readonly account: string
  /** MiB that its process may take, beside what it has when idle if it is shared */
  readonly memoryMb: number
  readonly source: PacedSource & Site
  /** the initial state of its pages: a signed-in state, as a browser saves it */
  readonly state?: string | undefined
  /** whether it needs a process of its own, see {@link Placed} */
  readonly alone?: Placed['alone']
  /** an earlier execution of the run was cut off and may have left an unfinished file */
  readonly mayResume?: boolean
  /** called when its requests begin to wait because their host asked for a pause, and when they go on */
  readonly onPause?: (isPaused: boolean) => void
  /** called with each message until the end of the run */
  readonly hear: (
    message: Exclude<RunMessage, { readonly type: 'acquire' | 'release' | 'page' | 'usage' }>,
  ) => void
}

/** What the executions of a pool share. */
export type ExecutionDeps = {
  readonly rateLimiter: RateLimiter
  readonly browser: Pick<BrowserHost, 'pagesFor'>
  readonly unfinished: Pick<Unfinished, 'give' | 'keep'>
  /** those that have no process yet */
  readonly waiting: Set<Execution>
}

/** A run that the pool executes, or will execute. */
export class Execution implements HostedRun {
  private readonly ended = Promise.withResolvers<ExecutionEnd>()
  /** Never rejects. */
  readonly end = this.ended.promise
  /**
   * After the end: the changes that its requests and its pages made to the signed-in state. If both changed the same
   * entry, the change of the pages wins.
   */
  changes: readonly StateChange[] = []
  /** the folder of the run's files, once it has begun */
  folder: string | undefined
  /** its requests that wait for the rate limiter or are under way, by the numbers that its process gave them */
  private readonly requests = new Map<number, Release>()
  /** those that wait because their host asked for a pause */
  private readonly paused = new Set<number>()
  private pages: RunPages | undefined
  /** of its requests, as its process last reported it */
  private ofRequests: Readonly<Usage> = noUsage()
  /** of its pages, once they are closed */
  private ofPages: Readonly<Usage> = noUsage()
  private process: PluginProcess | undefined

  constructor(
    readonly number: RunNumber,
    readonly request: Request,
    private readonly deps: ExecutionDeps,
  ) {}

  get memoryMb(): number {
    return this.request.memoryMb
  }

  /** What its requests and pages have used, as far as it was reported. */
  get usage(): Readonly<Usage> {
    return plus(this.ofRequests, this.ofPages)
  }

  /** Called by the pool. */
  begin(process: PluginProcess): void {
    this.process = process
    const { job, mayResume } = this.request
    const folder = join(process.folder, job.runId)
    this.folder = folder
    const hasUnfinished = mayResume === true && this.deps.unfinished.give(job.runId, folder)
    process.assign({ ...job, folder, ...(hasUnfinished ? { hasUnfinished } : {}) }, this)
  }

  /** Asks the plugin to stop; collected items are kept. An execution that has not begun ends at once. */
  abort(): void {
    if (this.process) this.process.tell({ type: 'abort', run: this.number })
    else this.kill('stopped before it began')
  }

  /** Ends it immediately, whatever its code does. */
  kill(reason: string): void {
    if (this.process) this.process.drop(this, reason)
    else {
      this.deps.waiting.delete(this)
      this.ended.resolve({ kind: 'died', cause: 'killed', reason, alone: true })
    }
  }

  /** Answers a message. Dropped after the run's end. */
  answer(answer: WorkerAnswer): void {
    this.process?.tell({ ...answer, run: this.number })
  }

  /** Called by the process. */
  hear(message: RunMessage): void {
    if (message.type === 'acquire') this.acquire(message.id, message.host)
    else if (message.type === 'release') this.release(message.id, message.pauseMs)
    else if (message.type === 'page') void this.page(message)
    else if (message.type === 'usage') this.used(message)
    else this.request.hear(message)
  }

  private used({ requests, bytes }: Usage): void {
    this.ofRequests = { requests, bytes }
  }

  private acquire(id: number, host: string): void {
    // Only forged messages use a number again, or wait for so many requests.
    if (this.requests.has(id) || this.requests.size === MOST_REQUESTS) {
      this.process?.kill('defect', 'its process asked twice for the same request, or for too many requests')
      return
    }
    const { source, account, job } = this.request
    const onPause = (ms: number) => this.pause(id, ms >= TOLD_PAUSE_MS)
    const go = (paused: boolean) => {
      this.pause(id, false)
      this.answer({ type: 'acquired', id, paused })
    }
    const leftMs = job.until - clock.now()
    this.requests.set(id, this.deps.rateLimiter.ask(source, host, account, leftMs, go, onPause))
  }

  private release(id: number, pauseMs: number): void {
    this.requests.get(id)?.(pauseMs)
    this.requests.delete(id)
    this.pause(id, false)
  }

  private pause(id: number, isPaused: boolean): void {
    const before = this.paused.size
    if (isPaused) this.paused.add(id)
    else this.paused.delete(id)
    if (before > 0 !== this.paused.size > 0) this.request.onPause?.(isPaused)
  }

  private async page({ id, page, call }: RunMessage & { readonly type: 'page' }): Promise<void> {
    const { source, state, job } = this.request
    this.pages ??= this.deps.browser.pagesFor(source, job.exit, state)
    this.answer({ type: 'paged', id, answer: await this.pages.call(page, call) })
  }

  /** Called by the process. */
  done(end: ExecutionEnd): void {
    this.process = undefined
    // Its written file is kept for the run's next attempt, if any.
    if (end.kind === 'died' && this.folder !== undefined)
      this.deps.unfinished.keep(this.request.job.runId, this.folder)
    for (const release of this.requests.values()) release(0)
    void this.finish(end)
  }

  private async finish(end: ExecutionEnd): Promise<void> {
    // The folder of a dead process is removed by the pool once the process has exited and can no longer write there. So
    // is that of a run which was ended without its code.
    if (end.kind === 'completed' && end.hasFolder && this.folder !== undefined)
      await removeSoon(this.folder).catch(() => {})
    const cookies = (end.kind === 'completed' && end.cookies) || []
    if (end.kind === 'completed' && end.usage) this.used(end.usage)
    const pages = await this.pages?.close()
    if (pages) this.ofPages = pages.usage
    this.changes = [...changesOfCookies(cookies, clock.now()), ...(pages?.changes ?? [])]
    this.ended.resolve(end)
  }
}
