/**
 * A run as the worker that leases it knows it: its stream, kept up with what others write and written to without reading
 * it again, and its lease.
 *
 * The lease is renewed every third of it, with how far the run is. In between the progress is told at most every ten
 * seconds, however often the task reports it: each time is an event in the run's stream for ever. So a stream has at
 * most one for each ten seconds or third of a lease of the run's limit, and one for each attempt and each paid block
 * besides.
 *
 * @module
 */
import { retry } from '../async/retry.ts'
import type { LeasedRun, Progress, RunCommand, RunState } from '../domain/run.ts'
import { type Recorded, StoreUnavailable, WrongExpectedRevision } from '../log/event-log.ts'
import { type ExecuteOptions, foldFrom, type Loaded } from '../log/execute.ts'
import { runFold } from '../log/folds.ts'
import type { Logger } from '../logger.ts'
import { type RunCommands, RunRefused } from '../runs/commands.ts'

export type LeaseDeps = {
  readonly commands: Pick<RunCommands, 'execute'>
  readonly logger: Logger
  /** milliseconds since 1970 */
  readonly now: () => number
  readonly leaseS: number
}

/** What a renewal tells of the run, and who hears of changes. */
export type LeaseHolder = {
  readonly collected: { readonly progress: Progress }
  /** `total`: credits charged in all, when blocks of its price were */
  readonly charges: { readonly total: number | undefined }
  /** told of every newer state */
  changed(state: RunState): void
  /** the lease is lost: another worker may have the run */
  abandon(why: string): void
}

const RETRY_MS = 100
const LONGEST_RETRY_MS = 2000
/** Between two times that a run's progress is told, in milliseconds. */
const PROGRESS_EVERY_MS = 10_000

export class Lease {
  private known: Loaded<RunState>
  private readonly leaseMs: number
  private renewAt: number
  /** when progress was told last, in milliseconds since 1970; long ago before the first time, which is told at once */
  private toldAt = 0
  private isRenewing = false

  /**
   * @param run as its claim left it
   * @param revision of its stream then
   * @param causationId the event of the claim
   */
  constructor(
    private readonly deps: LeaseDeps,
    readonly run: LeasedRun,
    revision: number,
    private readonly causationId: string,
    private readonly holder: LeaseHolder,
  ) {
    this.known = { state: run, revision }
    this.leaseMs = deps.leaseS * 1000
    this.renewAt = deps.now() + this.leaseMs / 3
  }

  get state(): RunState {
    return this.known.state
  }

  /** Milliseconds since 1970; 0 when nobody leases the run any more. */
  get leaseUntil(): number {
    const { state } = this.known
    return 'leaseUntil' in state ? Date.parse(state.leaseUntil) : 0
  }

  /** Hears what happened to the run; what is known already is left out. */
  observe(recorded: Recorded): void {
    if (recorded.revision > this.known.revision) this.learn(foldFrom(runFold, this.known, [recorded]))
  }

  /** @throws {RunRefused} when the run is not leased to this attempt any more */
  async execute(command: RunCommand, options?: ExecuteOptions): Promise<void> {
    const { commands, now } = this.deps
    const cause = { causationId: this.causationId, now: now() }
    this.learn(await commands.execute(this.run.runId, command, cause, this.known, options))
  }

  /**
   * Does something that the store may not let happen now, again and again until the lease ends.
   *
   * @returns what `act` returns; undefined when another worker has the run, or may have it soon
   * @throws what `act` throws when it is neither the store's absence nor a lost race: a defect is the same next time
   */
  async persist<T>(act: () => Promise<T>): Promise<T | undefined> {
    const { logger, now } = this.deps
    const run_id = this.run.runId
    try {
      return await retry(act, {
        when: (error) => mayPass(error) && now() < this.leaseUntil,
        ...{ firstMs: RETRY_MS, longestMs: LONGEST_RETRY_MS },
        onRetry: (err) =>
          logger.warn({ err, run_id }, 'A store is unavailable. The write of a run is retried.'),
      })
    } catch (err) {
      if (err instanceof RunRefused)
        logger.info({ run_id, refusal: err.refusal }, 'Lease lost: the run was changed by another worker.')
      else if (mayPass(err))
        logger.error({ err, run_id }, 'A store is unavailable. The run is requeued when its lease ends.')
      else throw err
      return undefined
    }
  }

  /** Progress was made: it is told as soon as progress may be told again. */
  tellSoon(): void {
    this.renewAt = Math.min(this.renewAt, this.toldAt + PROGRESS_EVERY_MS)
  }

  /** Something changed that the run must show at once. */
  tellNow(): void {
    this.renewAt = 0
  }

  /** Whether another worker may soon claim the run. */
  isAboutToEnd(now: number): boolean {
    return now >= this.leaseUntil - this.leaseMs / 6
  }

  /** Renews the lease when it is time. To be called several times in a third of a lease. */
  tick(now: number): void {
    if (now >= this.renewAt && !this.isRenewing) void this.renew(now)
  }

  private async renew(now: number): Promise<void> {
    const { leaseS, logger } = this.deps
    const { attempt, runId: run_id } = this.run
    this.isRenewing = true
    this.renewAt = now + this.leaseMs / 3
    this.toldAt = now
    const { collected, charges } = this.holder
    const told = charges.total === undefined ? {} : { charged: charges.total }
    try {
      await this.execute({ type: 'progress', attempt, now, leaseS, progress: collected.progress, ...told })
    } catch (err) {
      if (err instanceof RunRefused) this.holder.abandon(err.message)
      else {
        logger.warn({ err, run_id }, 'A lease could not be renewed. It is tried again until the lease ends.')
        this.renewAt = now + Math.min(1000, this.leaseMs / 12)
      }
    } finally {
      this.isRenewing = false
    }
  }

  private learn({ state, revision }: Loaded<RunState>): void {
    if (revision <= this.known.revision) return
    this.known = { state, revision }
    this.holder.changed(state)
  }
}

const mayPass = (error: unknown): boolean =>
  error instanceof StoreUnavailable || error instanceof WrongExpectedRevision
