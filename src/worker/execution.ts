/**
 * One execution of a run by a child process: waiting for a child, behind other short runs of one, or at work.
 *
 * @module
 */
import type { Pace } from '../plugin.ts'
import type { Child, Ended, Said } from './child-process.ts'
import type { Durations } from './durations.ts'
import type { Paces, Permit } from './pace.ts'
import type { Job } from './protocol.ts'

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

/** A run under way in the pool, or on its way into it. */
export class Execution {
  /** Resolves once, with how it ended; never rejects. */
  readonly ended: Promise<Ended>
  private readonly end: (ended: Ended) => void
  private readonly permits = new Map<number, { readonly host: string; readonly permit: Permit }>()
  private child: Child | undefined
  private aborted = false
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
    if (this.aborted) this.kill('stopped before it began')
    else if (!this.killed) this.pool.place(this)
  }

  private done(ended: Ended, ms: number): void {
    this.child = undefined
    if (ended.kind === 'end') this.durations.note(this.request.job.taskKey, ms)
    for (const { permit } of this.permits.values()) permit.release()
    this.permits.clear()
    this.end(ended)
  }
}
