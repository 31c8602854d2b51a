/**
 * One SQLite connection whose writers share commits. The log and the small artifacts of the embedded store write
 * through it.
 *
 * SQLite's own fsync would stop the event loop for as long as the disk takes. So a transaction is written to the
 * write-ahead log without one, a thread of the runtime brings it to the disk, and only then its writers are answered. What
 * is asked for meanwhile makes the next transaction: a slow disk has larger ones. They reach the disk in their order,
 * so whatever is durable has all before it.
 *
 * @module
 */
import { closeSync, fdatasync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { clock } from '../async/clock.ts'
import { setImmediate } from '../async/timers.ts'

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
  /** once it is on the disk, before its writers are answered */
  committed?(ms: number): void
  /** the error that writers get instead of one of the database */
  unavailable?(error: unknown): Error
}

/** Where a write-ahead log lies. */
export type Disk = {
  /** Brings all that was written to it. @returns why it could not */
  sync(): Promise<Error | null>
  close(): void
}

/** The disk of an open database, or of `:memory:`, which has none. */
export function diskOf(path: string): Disk {
  if (path === ':memory:') return { sync: async () => null, close: () => {} }
  const file = openSync(`${path}-wal`, 'r')
  return {
    sync: () => new Promise((go) => fdatasync(file, go)),
    close: () => closeSync(file),
  }
}

/** Shares commits among writers. */
export class Commits {
  private jobs: Job[] = []
  private armed = false
  /** why nothing can be written any more */
  private closed: Error | undefined
  private readonly known = new WeakMap<Promise<unknown>, Job>()
  private syncing: Promise<void> | undefined

  /**
   * @param db opened with `durable: 'deferred'`
   * @param disk of its file, see {@link diskOf}
   */
  constructor(
    private readonly db: DatabaseSync,
    private readonly disk: Disk,
    private readonly hooks: CommitHooks = {},
  ) {}

  /** Resolves when all that can be read from the file is on the disk; undefined when it is. */
  get settled(): Promise<void> | undefined {
    return this.syncing
  }

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
    if (this.closed) return Promise.reject(this.hooks.unavailable?.(this.closed) ?? this.closed)
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const job: Job = { work, done: resolve, failed: reject, after }
    this.jobs.push(job)
    this.known.set(promise, job)
    this.arm()
    return promise
  }

  /** Commits what was asked for until now and takes no more. Close the database after it. */
  async close(): Promise<void> {
    while (this.syncing) await this.syncing
    this.flush()
    await this.syncing
    this.closed ??= new Error('the store is closed')
    this.disk.close()
  }

  private arm(): void {
    if (this.armed || this.syncing || this.jobs.length === 0) return
    this.armed = true
    setImmediate(() => this.flush())
  }

  private flush(): void {
    this.armed = false
    if (this.syncing) return
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
    const started = clock.monotonic()
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
    this.syncing = this.sync(jobs, started, outcomes)
    return undefined
  }

  /** Brings a transaction to the disk, then answers its writers. */
  private async sync(
    jobs: readonly Job[],
    started: number,
    outcomes: readonly (() => void)[],
  ): Promise<void> {
    const error = await this.disk.sync()
    this.syncing = undefined
    if (error) {
      // A second fsync may succeed without the pages of the first: nothing may be written on top of them.
      this.closed = new Error('the disk failed; restart the service when it is mended', { cause: error })
      for (const job of [...jobs, ...this.jobs.splice(0)])
        job.failed(this.hooks.unavailable?.(this.closed) ?? this.closed)
    } else {
      this.hooks.committed?.(clock.monotonic() - started)
      for (const outcome of outcomes) outcome()
    }
    for (const over of jobs) forget(over)
    this.arm()
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
