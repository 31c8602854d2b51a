/**
 * One SQLite connection whose writers share commits: all that is asked for in one turn of the event loop goes into
 * one transaction, and so into one fsync. The log and the small artifacts of the embedded store write through it.
 *
 * @module
 */
import type { DatabaseSync } from 'node:sqlite'

type Job = {
  /** undefined once it is over */
  work: (() => unknown) | undefined
  readonly done: (value: never) => void
  readonly failed: (error: unknown) => void
  /** none once it is over: of an endless chain of writes no more is kept than what is under way */
  after: readonly Job[]
  /** why it was not written, once it was tried */
  error?: unknown
}

/** Thrown by work that has written nothing: the others of its group go on. */
export class Refused extends Error {
  override readonly name = 'Refused'
  constructor(readonly reason: unknown) {
    super('refused', { cause: reason })
  }
}

/** Called around transactions. */
export type CommitHooks = {
  /** right after a transaction began, inside it; it may be undone and begun again */
  begun?(): void
  /** after its commit and before its writers are answered */
  committed?(ms: number): void
  /** the error that writers get instead of one of the database */
  unavailable?(error: unknown): Error
}

/** Shares commits among writers. */
export class Commits {
  private jobs: Job[] = []
  private armed = false
  private closed = false
  private readonly known = new WeakMap<Promise<unknown>, Job>()

  constructor(
    private readonly db: DatabaseSync,
    private readonly hooks: CommitHooks = {},
  ) {}

  /**
   * Runs `work` inside the next transaction and resolves with what it returned, after the commit. Work runs in the
   * order of the calls.
   *
   * @param work synchronous, and ready to run again: when one of a group fails unexpectedly the group is undone and
   *   begins again without it
   * @param after promises that must be fulfilled first. Those that this method returned may be in the same
   *   transaction; others are waited for
   * @throws what `work` throws; the reason inside a {@link Refused}, by which work says that it wrote nothing
   */
  write<T>(work: () => T, after: readonly (Promise<unknown> | undefined)[] = []): Promise<T> {
    const jobs: Job[] = []
    const others: Promise<unknown>[] = []
    for (const promise of after) {
      if (!promise) continue
      const job = this.known.get(promise)
      if (job) {
        // Its failure reaches the caller through this write.
        promise.catch(() => {})
        jobs.push(job)
      } else others.push(promise)
    }
    if (others.length > 0) return Promise.all(others).then(() => this.enqueue(work, jobs))
    return this.enqueue(work, jobs)
  }

  private enqueue<T>(work: () => T, after: readonly Job[]): Promise<T> {
    if (this.closed) {
      const error = new Error('the store is closed')
      return Promise.reject(this.hooks.unavailable?.(error) ?? error)
    }
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const job: Job = { work, done: resolve, failed: reject, after }
    this.jobs.push(job)
    this.known.set(promise, job)
    if (!this.armed) {
      this.armed = true
      setImmediate(() => this.flush())
    }
    return promise
  }

  /** Commits what was asked for until now and takes no more. */
  close(): void {
    this.flush()
    this.closed = true
  }

  private flush(): void {
    this.armed = false
    let jobs: readonly Job[] = this.jobs
    this.jobs = []
    while (jobs.length > 0) {
      const failure = this.commit(jobs)
      if (!failure) return
      // The one that failed is left out and the others begin again; a failure of the file itself is everybody's.
      const failed = failure.job ? [failure.job] : jobs
      for (const job of failed) {
        job.error = this.hooks.unavailable?.(failure.error) ?? failure.error
        job.failed(job.error)
        forget(job)
      }
      jobs = jobs.filter((job) => !failed.includes(job))
    }
  }

  /** Does all in one transaction, or nothing; then says why, and whose work it was when it was somebody's. */
  private commit(jobs: readonly Job[]): { readonly error: unknown; readonly job?: Job } | undefined {
    const started = performance.now()
    const outcomes: (() => void)[] = []
    let job: Job | undefined
    try {
      this.db.exec('BEGIN IMMEDIATE')
      this.hooks.begun?.()
      for (job of jobs) outcomes.push(run(job))
      job = undefined
      this.db.exec('COMMIT')
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK')
      return job ? { error, job } : { error }
    }
    this.hooks.committed?.(performance.now() - started)
    for (const outcome of outcomes) outcome()
    for (const over of jobs) forget(over)
    return undefined
  }
}

function forget(job: Job): void {
  job.work = undefined
  job.after = []
}

function run(job: Job): () => void {
  job.error = undefined
  const before = job.after.find((other) => other.error !== undefined)
  try {
    if (before) throw new Refused(before.error)
    const value = job.work?.() as never
    return () => job.done(value)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    job.error = error.reason
    return () => job.failed(error.reason)
  }
}
