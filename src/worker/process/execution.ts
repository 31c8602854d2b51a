/**
 * One execution of a run by a child process: waiting for a child, or executing.
 *
 * @module
 */
import { join } from 'node:path'
import { clock } from '../../async/clock.ts'
import type { RunPages } from '../../browser/host/host.ts'
import type { Site } from '../../browser/page/requests.ts'
import { changesOfCookies, type StateChange } from '../../browser/page/state-changes.ts'
import type { PacedSource } from '../../net/pace.ts'
import type { Release } from '../../net/rate-limiter.ts'
import type { Child, ExecutionResult, Said } from './child-process.ts'
import type { ChildPool } from './pool.ts'
import type { Answer, Job } from './protocol.ts'
import { removeSoon } from './work-folder.ts'

const MOST_REQUESTS = 10_000

/** A run to be executed. */
export type Request = {
  readonly job: Omit<Job, 'folder'>
  /** the run's account: no process executes runs of two accounts */
  readonly account: string
  /** MiB that its process may take */
  readonly memoryMb: number
  readonly source: PacedSource & Site
  /** the initial state of its pages: a signed-in state, as a browser saves it */
  readonly state?: string | undefined
  /** requires a process that executed no run before: an earlier run may have corrupted it */
  readonly fresh: boolean
  /** an earlier execution of the run was cut off and may have left an unfinished file */
  readonly mayResume?: boolean
  /** called with each message until the end of the run */
  readonly hear: (said: Exclude<Said, { readonly type: 'acquire' | 'release' | 'page' }>) => void
}

/** A run that the pool executes, or will execute. */
export class Execution {
  private readonly ended = Promise.withResolvers<ExecutionResult>()
  /** Resolves with the outcome; never rejects. */
  readonly result = this.ended.promise
  /**
   * After the end: the changes that its requests and its pages made to the signed-in state. If both changed the same
   * entry, the change of the pages wins.
   */
  changes: readonly StateChange[] = []
  /** the folder of the run's files, once it has begun */
  folder: string | undefined
  /** its requests that wait for the rate limiter or are under way, by the child's numbers */
  private readonly requests = new Map<number, Release>()
  private pages: RunPages | undefined
  private child: Child | undefined

  constructor(
    readonly request: Request,
    private readonly pool: Pick<ChildPool, 'rateLimiter' | 'browser' | 'unfinished' | 'waiting'>,
  ) {}

  /** Called by the pool. */
  begin(child: Child): void {
    this.child = child
    const { job: wanted, mayResume } = this.request
    this.folder = join(child.folder, wanted.runId)
    const hasUnfinished = mayResume === true && this.pool.unfinished.give(wanted.runId, this.folder)
    const job = { ...wanted, folder: this.folder, ...(hasUnfinished ? { hasUnfinished } : {}) }
    child.assign(job, this)
  }

  /** Asks the plugin to stop; collected items are kept. An execution that has not begun ends at once. */
  abort(): void {
    if (this.child) this.child.send({ type: 'abort' })
    else this.kill('stopped before it began')
  }

  /** Ends it immediately. */
  kill(reason: string): void {
    if (this.child) this.child.kill('killed', reason)
    else {
      this.pool.waiting.delete(this)
      this.ended.resolve({ kind: 'died', cause: 'killed', reason, fresh: true })
    }
  }

  /** Answers a message. Dropped after the run's end, because its child may execute another run by then. */
  answer(answer: Answer): void {
    this.child?.send(answer)
  }

  /** Called by the child. */
  hear(said: Said): void {
    if (said.type === 'acquire') this.acquire(said.id, said.host)
    else if (said.type === 'release') this.release(said.id, said.pauseMs)
    else if (said.type === 'page') void this.page(said)
    else this.request.hear(said)
  }

  private acquire(id: number, host: string): void {
    // Only forged messages use a number again, or wait for so many requests.
    if (this.requests.has(id) || this.requests.size === MOST_REQUESTS) {
      this.child?.kill('defect', 'its process asked twice for the same request, or for too many requests')
      return
    }
    const { source, account, job } = this.request
    const go = (paused: boolean) => this.answer({ type: 'acquired', id, paused })
    this.requests.set(id, this.pool.rateLimiter.ask(source, host, account, job.until - clock.now(), go))
  }

  private release(id: number, pauseMs: number): void {
    this.requests.get(id)?.(pauseMs)
    this.requests.delete(id)
  }

  private async page({ id, page, call }: Said & { readonly type: 'page' }): Promise<void> {
    this.pages ??= this.pool.browser.pagesFor(this.request.source, this.request.state)
    this.answer({ type: 'paged', id, answer: await this.pages.call(page, call) })
  }

  /** Called by the child. */
  done(result: ExecutionResult): void {
    this.child = undefined
    // Its written file is kept for the run's next attempt, if any.
    if (result.kind === 'died' && this.folder !== undefined)
      this.pool.unfinished.keep(this.request.job.runId, this.folder)
    for (const release of this.requests.values()) release(0)
    void this.finish(result)
  }

  private async finish(result: ExecutionResult): Promise<void> {
    // The folder of a dead process is removed by the pool once the process has exited and can no longer write there.
    if (result.kind === 'completed' && result.hasFolder && this.folder !== undefined)
      await removeSoon(this.folder).catch(() => {})
    const cookies = (result.kind === 'completed' && result.cookies) || []
    const left = await this.pages?.close()
    this.changes = [...changesOfCookies(cookies, clock.now()), ...(left ?? [])]
    this.ended.resolve(result)
  }
}
