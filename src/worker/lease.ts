/**
 * A run as known to the worker that leases it: the state of its stream, and its lease. The state follows the events of
 * other writers, so the worker can append without reading the stream again.
 *
 * The lease is renewed every third of its duration, together with the run's progress. In between, progress is written
 * at most every ten seconds, however often the task reports it: every write is a permanent event in the run's stream.
 * A run of 300 s therefore has at most 30 of these events, plus one for each attempt and each paid block.
 *
 * @module
 */
import { retry } from '../async/retry.ts'
import { type LeasedRun, type Progress, type RunCommand, type RunState, runDecider } from '../domain/run.ts'
import type { RunUsage } from '../domain/run-events.ts'
import { type Recorded, StoreUnavailable, WrongExpectedRevision } from '../log/event-log.ts'
import { type ExecuteOptions, foldFrom, type Loaded } from '../log/execute.ts'
import { Refused } from '../log/refused.ts'
import type { Logger } from '../logger.ts'
import type { RunCommands } from '../runs/commands.ts'

export type LeaseDeps = {
  readonly commands: Pick<RunCommands, 'handle'>
  readonly logger: Logger
  readonly leaseS: number
  /** milliseconds since 1970 */
  readonly now: () => number
}

export type LeaseOwner = {
  /** what a renewal writes; `charged`: credits in total, undefined when no block was charged */
  readonly contents: () => {
    readonly progress: Progress
    readonly charged: number | undefined
    readonly usage: RunUsage
  }
  /** called with each newer state of the run */
  readonly onChange: (state: RunState) => void
  /** called when the run turns out to be leased no more to this attempt */
  readonly onLost: (why: string) => void
}

const RETRY_MS = 100
const LONGEST_RETRY_MS = 2000
/** The least time between two writes of a run's progress, in milliseconds. */
const PROGRESS_EVERY_MS = 10_000

export class Lease {
  private known: Loaded<RunState>
  private readonly leaseMs: number
  private renewAt: number
  /** when the lease was acquired or last renewed, in milliseconds since 1970 */
  private renewedAt: number
  /** when progress was last written, in milliseconds since 1970; 0 at first, so that the first write is not delayed */
  private writtenAt = 0
  private isRenewing = false

  /**
   * @param run the run after its claim
   * @param revision of the run's stream after its claim
   * @param causationId id of the claim's event
   */
  constructor(
    private readonly deps: LeaseDeps,
    private readonly run: LeasedRun,
    revision: number,
    private readonly causationId: string,
    private readonly owner: LeaseOwner,
  ) {
    this.known = { state: run, revision }
    this.leaseMs = deps.leaseS * 1000
    this.renewedAt = deps.now()
    this.renewAt = this.renewedAt + this.leaseMs / 3
  }

  get state(): RunState {
    return this.known.state
  }

  /** Milliseconds since 1970; 0 when the run is no longer leased. */
  get leaseUntil(): number {
    const { state } = this.known
    return 'leaseUntil' in state ? Date.parse(state.leaseUntil) : 0
  }

  /** Applies a new event of the run; known events are ignored. */
  observe(recorded: Recorded): void {
    if (recorded.revision > this.known.revision) this.learn(foldFrom(runDecider, this.known, [recorded]))
  }

  /** @throws {Refused} when the run is no longer leased to this attempt */
  async handle(command: RunCommand, options?: ExecuteOptions): Promise<void> {
    const { commands, now } = this.deps
    const cause = { causationId: this.causationId, now: now() }
    this.learn(await commands.handle(this.run.runId, command, cause, this.known, options))
  }

  /**
   * Retries an action until the lease ends, while a store is unavailable or a race is lost.
   *
   * @param isWanted whether a further try makes sense
   * @returns the result of `act`; undefined when another worker holds the run, or may soon
   * @throws any other error of `act`: a retry would not fix a defect
   */
  async persist<T>(act: () => Promise<T>, isWanted = () => true): Promise<T | undefined> {
    const { logger, now } = this.deps
    const run_id = this.run.runId
    try {
      return await retry(act, {
        when: (error) => mayPass(error) && now() < this.leaseUntil && isWanted(),
        firstMs: RETRY_MS,
        longestMs: LONGEST_RETRY_MS,
        onRetry: (err) =>
          logger.warn({ err, run_id }, 'A store is unavailable. The write of a run is retried.'),
      })
    } catch (err) {
      if (err instanceof Refused) {
        // After its end by this worker, what its plugin still had under way is refused as well.
        if (this.leaseUntil > 0)
          logger.info({ run_id, refusal: err.code }, 'Lease lost: the run was changed by another worker.')
      } else if (mayPass(err) && !isWanted()) return undefined
      else if (mayPass(err))
        logger.error({ err, run_id }, 'A store is unavailable. The run is requeued when its lease ends.')
      else throw err
      return undefined
    }
  }

  /** Schedules a write of the progress, as early as the rate limit allows. */
  renewSoon(): void {
    this.renewAt = Math.min(this.renewAt, this.writtenAt + PROGRESS_EVERY_MS)
  }

  /** Schedules a renewal at once, for a change that the run must show immediately. */
  renewNow(): void {
    this.renewAt = 0
  }

  /** Whether half of the lease has passed. While renewals are in time, only a third of it ever does. */
  isHalfOver(now: number): boolean {
    return now >= this.leaseUntil - this.leaseMs / 2
  }

  /** Whether another worker may soon claim the run. */
  isAboutToEnd(now: number): boolean {
    return now >= this.leaseUntil - this.leaseMs / 6
  }

  /** Renews the lease when it is due. Must be called several times per third of a lease. */
  tick(now: number): void {
    // If the system's clock was set back, nothing would be renewed or reported until it reaches `renewAt` again.
    const isSetBack = now < this.renewedAt
    if ((isSetBack || now >= this.renewAt) && !this.isRenewing) void this.renew(now)
  }

  /**
   * Writes that the run starts over at another exit, with its progress, and renews the lease.
   *
   * @param exitChanges how often it has started over, with this time
   * @throws as {@link handle}
   */
  writeExitChanges(exitChanges: number): Promise<void> {
    return this.handle({ ...this.renewal(this.deps.now()), exitChanges })
  }

  private async renew(now: number): Promise<void> {
    const { logger } = this.deps
    const { runId: run_id } = this.run
    this.isRenewing = true
    this.renewAt = now + this.leaseMs / 3
    this.renewedAt = now
    this.writtenAt = now
    try {
      await this.handle(this.renewal(now))
    } catch (err) {
      if (err instanceof Refused) this.owner.onLost(`the run is ${err.code}`)
      else {
        logger.warn({ err, run_id }, 'A lease could not be renewed. Retrying until the lease ends.')
        this.renewAt = now + Math.min(1000, this.leaseMs / 12)
      }
    } finally {
      this.isRenewing = false
    }
  }

  private renewal(now: number): RunCommand & { readonly type: 'progress' } {
    const { progress, charged, usage } = this.owner.contents()
    const { attempt } = this.run
    const { leaseS } = this.deps
    const total = charged === undefined ? {} : { charged }
    return { type: 'progress', attempt, now, leaseS, progress, usage, ...total }
  }

  private learn({ state, revision }: Loaded<RunState>): void {
    if (revision <= this.known.revision) return
    this.known = { state, revision }
    this.owner.onChange(state)
  }
}

const mayPass = (error: unknown): boolean =>
  error instanceof StoreUnavailable || error instanceof WrongExpectedRevision
