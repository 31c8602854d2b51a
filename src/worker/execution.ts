/**
 * One execution of a run by a child process: waiting for a child, behind other short runs of one, or at work.
 *
 * @module
 */
import type { Site } from '../browser/requests.ts'
import { changesOfCookies, type StateChange } from '../browser/state-changes.ts'
import type { BrowserHost, RunPages } from './browser/host.ts'
import type { Child, Ended, Said } from './child-process.ts'
import type { Durations } from './durations.ts'
import type { Paces } from './pace.ts'
import { type Paced, Permits } from './permits.ts'
import type { Job } from './protocol.ts'

/** A run to be executed. */
export type Request = {
  readonly job: Job
  /** MiB that its process may take */
  readonly memoryMb: number
  readonly source: Paced & Site
  /** what its pages begin with: a signed-in state, as a browser saves it */
  readonly state?: string | undefined
  /** only in a process that has had no run: one that has may have been spoilt by it */
  readonly fresh: boolean
  /** what it brings until its end */
  readonly hear: (said: Exclude<Said, { readonly type: 'ask' | 'over' | 'page' }>) => void
}

/** A run under way in the pool, or on its way into it. */
export class Execution {
  /** Resolves once, with how it ended; never rejects. */
  readonly ended: Promise<Ended>
  /**
   * Once it has ended: what its requests, and after them its pages, changed in the signed-in state that it was given.
   * Where both changed the same, the pages' stands.
   */
  changes: readonly StateChange[] = []
  private readonly end: (ended: Ended) => void
  private readonly permits: Permits
  private pages: RunPages | undefined
  private child: Child | undefined
  private aborted = false
  private killed = false

  constructor(
    readonly request: Request,
    paces: Paces,
    private readonly browser: BrowserHost,
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
    const { source, job } = request
    this.permits = new Permits(paces, source, job.until, (go) => this.child?.send(go))
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
      late: (ms) => this.durations.note(job.taskKey, ms),
      back: () => this.back(),
    })
  }

  /** Asks the plugin to stop; what it has brought is kept. One that has not begun is over at once. */
  abort(): void {
    this.aborted = true
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

  /** Answers `charge`: whether the block is paid for. */
  charged(id: number, paid: boolean): void {
    this.child?.send({ type: 'charged', id, paid })
  }

  private hear(said: Said): void {
    if (said.type === 'ask') this.permits.ask(said.id, said.host)
    else if (said.type === 'over') this.permits.over(said.id, said.pauseMs)
    else if (said.type === 'page') void this.page(said)
    else this.request.hear(said)
  }

  private async page({ id, page, call }: Said & { readonly type: 'page' }): Promise<void> {
    this.pages ??= this.browser.pagesFor(this.request.source, this.request.state)
    const answer = await this.pages.call(page, call)
    // When the run is over its child has another one.
    this.child?.send({ type: 'paged', id, answer })
  }

  /** The run before it took too long, or ended its child: it has not begun. */
  private back(): void {
    this.child = undefined
    if (this.aborted) this.kill('stopped before it began')
    else if (!this.killed) this.pool.place(this)
  }

  private done(ended: Ended, ms: number): void {
    this.child = undefined
    if (ended.kind === 'end') this.durations.note(this.request.job.taskKey, ms)
    this.permits.release()
    void this.finish(ended)
  }

  private async finish(ended: Ended): Promise<void> {
    const cookies = (ended.kind === 'end' && ended.cookies) || []
    const left = await this.pages?.close()
    this.changes = [...changesOfCookies(cookies, Date.now()), ...(left ?? [])]
    this.end(ended)
  }
}
