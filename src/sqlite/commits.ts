/**
 * Group commit: the writers of one SQLite connection share transactions. The log and the small artifacts of the
 * embedded store write through it.
 *
 * SQLite's own fsync would block the event loop for as long as the disk takes. So a transaction is written to the
 * write-ahead log without fsync, a thread of the runtime syncs the file, and only then the promises of the writers
 * resolve. Writes that arrive during a sync form the next transaction, so a slow disk gets larger transactions.
 * Transactions become durable in order, so a durable transaction implies that all earlier ones are durable too.
 *
 * @module
 */
import { closeSync, fdatasync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { clock } from '../async/clock.ts'
import { setImmediate } from '../async/timers.ts'
import { watchFiles } from './watched.ts'

type Job = {
  /** cleared when the job is done */
  work: (() => unknown) | undefined
  readonly done: (value: never) => void
  readonly failed: (error: unknown) => void
  /** cleared when the job is done, so that a long chain of writes does not stay in memory */
  after: readonly Job[]
  /** why it was not written, if it was attempted */
  error?: unknown
}

/** Thrown by work that has written nothing. The rest of its group is still committed. */
export class WroteNothing extends Error {
  override readonly name = 'WroteNothing'
  constructor(readonly reason: unknown) {
    super('refused', { cause: reason })
  }
}

/** Called around transactions. */
export type CommitHooks = {
  /** inside a transaction, right after its start; the transaction may be rolled back and restarted */
  begun?(): void
  /** once the transaction is durable, before the promises of its writers resolve */
  committed?(ms: number): void
  /** converts an error of the database for the writers */
  unavailable(error: unknown): Error
}

/** The disk of a write-ahead log. */
export type Disk = {
  /** Makes everything that was written durable. @returns the error if this failed */
  sync(): Promise<Error | null>
  close(): void
}

/** The disk of an open database. Does nothing for `:memory:`. */
function diskOf(path: string): Disk {
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
  /** why no more writes are possible */
  private closed: Error | undefined
  /** the last transaction failed */
  private hasFailed = false
  private readonly known = new WeakMap<Promise<unknown>, Job>()
  /** Resolves when all readable data of the file is durable. Undefined if it already is. */
  settled: Promise<void> | undefined
  /** Throws when the file was moved, deleted or replaced: further writes would be lost. */
  readonly checkFiles: () => void

  /**
   * @param path of the database's file
   * @param disk tests replace it
   */
  constructor(
    private readonly db: DatabaseSync,
    path: string,
    private readonly hooks: CommitHooks,
    private readonly disk: Disk = diskOf(path),
  ) {
    this.checkFiles = watchFiles(path)
  }

  /**
   * Runs `work` inside the next transaction and resolves with what it returned, after the commit. Work runs in the
   * order of the calls.
   *
   * @param work synchronous, and may run more than once: if one work of a group fails unexpectedly, the group is rolled
   *   back and runs again without it
   * @param after promises that must be fulfilled first. Promises of this method may be in the same transaction; others
   *   are awaited before
   * @throws the error of `work`; if `work` throws {@link WroteNothing} because it wrote nothing, the reason inside it
   */
  write<T>(work: () => T, after: readonly (Promise<unknown> | undefined)[] = []): Promise<T> {
    const jobs: Job[] = []
    const others: Promise<unknown>[] = []
    for (const promise of after) {
      if (!promise) continue
      const job = this.known.get(promise)
      if (job) {
        // The caller learns of its failure through this write.
        promise.catch(() => {})
        jobs.push(job)
      } else others.push(promise)
    }
    if (others.length > 0) return Promise.all(others).then(() => this.enqueue(work, jobs))
    return this.enqueue(work, jobs)
  }

  /** If the last transaction failed, checks by another one whether writes succeed again. @throws as `write` does */
  async recovered(trial: () => unknown): Promise<void> {
    if (this.hasFailed) await this.write(trial)
  }

  private enqueue<T>(work: () => T, after: readonly Job[]): Promise<T> {
    if (this.closed) return Promise.reject(this.hooks.unavailable(this.closed))
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const job: Job = { work, done: resolve, failed: reject, after }
    this.jobs.push(job)
    this.known.set(promise, job)
    this.arm()
    return promise
  }

  /** Commits the pending writes and accepts no more. Close the database after it. */
  async close(): Promise<void> {
    while (this.settled) await this.settled
    this.flush()
    await this.settled
    this.closed ??= new Error('the store is closed')
    this.disk.close()
  }

  private arm(): void {
    if (this.armed || this.settled || this.jobs.length === 0) return
    this.armed = true
    setImmediate(() => this.flush())
  }

  private flush(): void {
    this.armed = false
    if (this.settled) return
    let jobs: readonly Job[] = this.jobs
    this.jobs = []
    while (jobs.length > 0) {
      const failure = this.commit(jobs)
      if (!failure) return
      this.hasFailed = true
      // The job that failed is removed and the others run again. A failure of the file fails all jobs.
      const failed = failure.job ? [failure.job] : jobs
      for (const job of failed) {
        job.error = this.hooks.unavailable(failure.error)
        job.failed(job.error)
        forget(job)
      }
      jobs = jobs.filter((job) => !failed.includes(job))
    }
  }

  /** Runs all jobs in one transaction. @returns the error, and the job that caused it if any; undefined on success */
  private commit(jobs: readonly Job[]): { readonly error: unknown; readonly job?: Job } | undefined {
    const started = clock.monotonic()
    const outcomes: (() => void)[] = []
    let job: Job | undefined
    try {
      this.db.exec('BEGIN IMMEDIATE')
      this.checkFiles()
      this.hooks.begun?.()
      for (job of jobs) outcomes.push(run(job))
      job = undefined
      this.db.exec('COMMIT')
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK')
      return job ? { error, job } : { error }
    }
    this.settled = this.sync(jobs, started, outcomes)
    return undefined
  }

  /** Makes a transaction durable, then resolves the promises of its writers. */
  private async sync(
    jobs: readonly Job[],
    started: number,
    outcomes: readonly (() => void)[],
  ): Promise<void> {
    const error = await this.disk.sync()
    this.settled = undefined
    this.hasFailed = error !== null
    if (error) {
      // After a failed fsync a second one may succeed without the lost pages, so no more writes are accepted.
      this.closed = new Error('the disk failed; restart the service when it is repaired', { cause: error })
      for (const job of [...jobs, ...this.jobs.splice(0)]) job.failed(this.hooks.unavailable(this.closed))
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
    if (before) throw new WroteNothing(before.error)
    const value = job.work?.() as never
    return () => job.done(value)
  } catch (error) {
    if (!(error instanceof WroteNothing)) throw error
    job.error = error.reason
    return () => job.failed(error.reason)
  }
}
