/**
 * One execution of a run by a child process: waiting for a child, or at work.
 *
 * @module
 */
import { rm } from 'node:fs/promises'
import { clock } from '../../async/clock.ts'
import type { BrowserHost, RunPages } from '../../browser/host/host.ts'
import type { Site } from '../../browser/page/requests.ts'
import { changesOfCookies, type StateChange } from '../../browser/page/state-changes.ts'
import type { RateLimiter } from '../../net/rate-limiter.ts'
import type { Child, ExecutionResult, Said } from './child-process.ts'
import type { Answer, Job } from './protocol.ts'
import { type PacedSource, RunRequests } from './requests.ts'
import type { Unfinished } from './work-folder.ts'

/** A run to be executed. */
export type Request = {
  readonly job: Omit<Job, 'folder'>
  /** whose run it is: no process has runs of two accounts */
  readonly account: string
  /** MiB that its process may take */
  readonly memoryMb: number
  readonly source: PacedSource & Site
  /** what its pages begin with: a signed-in state, as a browser saves it */
  readonly state?: string | undefined
  /** only in a process that has had no run: one that has may have been spoilt by it */
  readonly fresh: boolean
  /** an execution of the run was cut off before, and may have left an unfinished file */
  readonly mayResume?: boolean
  /** what it brings until its end */
  readonly hear: (said: Exclude<Said, { readonly type: 'acquire' | 'release' | 'page' }>) => void
}

/** A run under way in the pool, or on its way into it. */
export class Execution {
  private readonly ended = Promise.withResolvers<ExecutionResult>()
  /** Resolves once, with how it ended; never rejects. */
  readonly result = this.ended.promise
  /**
   * Once it has ended: what its requests, and after them its pages, changed in the signed-in state that it was given.
   * Where both changed the same, the pages' stands.
   */
  changes: readonly StateChange[] = []
  /** where the run's files are, once it has begun */
  folder: string | undefined
  private readonly requests: RunRequests
  private pages: RunPages | undefined
  private child: Child | undefined

  constructor(
    readonly request: Request,
    rateLimiter: RateLimiter,
    private readonly browser: BrowserHost,
    private readonly pool: {
      readonly unfinished: Unfinished
      /** it waits no longer */
      withdraw(it: Execution): void
    },
  ) {
    const { source, account, job } = request
    this.requests = new RunRequests(rateLimiter, source, account, job.until, (go) => this.answer(go))
  }

  /** Used by the pool. */
  begin(child: Child): void {
    this.child = child
    const { job: wanted, mayResume } = this.request
    this.folder = child.folderOf(wanted.runId)
    const hasUnfinished = mayResume === true && this.pool.unfinished.give(wanted.runId, this.folder)
    const job = { ...wanted, folder: this.folder, ...(hasUnfinished ? { hasUnfinished } : {}) }
    child.assign({ job, execution: this })
  }

  /** Asks the plugin to stop; what it has brought is kept. One that has not begun ends at once. */
  abort(): void {
    if (this.child) this.child.send({ type: 'abort' })
    else this.kill('stopped before it began')
  }

  /** Ends it now. */
  kill(reason: string): void {
    if (this.child) this.child.kill('killed', reason)
    else {
      this.pool.withdraw(this)
      this.ended.resolve({ kind: 'died', cause: 'killed', reason, fresh: true })
    }
  }

  /** Answers what it heard. Once the run has ended nobody waits for it: its child may have another one. */
  answer(answer: Answer): void {
    this.child?.send(answer)
  }

  /** Used by the child. */
  hear(said: Said): void {
    if (said.type === 'acquire') this.requests.acquire(said.id, said.host)
    else if (said.type === 'release') this.requests.release(said.id, said.pauseMs)
    else if (said.type === 'page') void this.page(said)
    else this.request.hear(said)
  }

  private async page({ id, page, call }: Said & { readonly type: 'page' }): Promise<void> {
    this.pages ??= this.browser.pagesFor(this.request.source, this.request.state)
    this.answer({ type: 'paged', id, answer: await this.pages.call(page, call) })
  }

  /** Used by the child. */
  done(result: ExecutionResult): void {
    this.child = undefined
    // What it has written is kept for the run's next attempt, if there will be one.
    if (result.kind === 'died' && this.folder !== undefined)
      this.pool.unfinished.keep(this.request.job.runId, this.folder)
    this.requests.releaseAll()
    void this.finish(result)
  }

  private async finish(result: ExecutionResult): Promise<void> {
    // A process that has died takes its folder with it, when nothing of it writes there any more.
    if (result.kind === 'completed' && result.hasFolder && this.folder !== undefined)
      await rm(this.folder, { recursive: true, force: true }).catch(() => {})
    const cookies = (result.kind === 'completed' && result.cookies) || []
    const left = await this.pages?.close()
    this.changes = [...changesOfCookies(cookies, clock.now()), ...(left ?? [])]
    this.ended.resolve(result)
  }
}
