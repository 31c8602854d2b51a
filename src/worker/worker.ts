/**
 * Executes queued runs, up to the configured concurrency, and brings each to its end. The worker learns of runs from
 * the log and claims a run by an append: one of several workers succeeds, and the others do nothing.
 *
 * @module
 */
import type { Accounts } from '../accounts/accounts.ts'
import type { Artifacts } from '../artifacts/artifacts.ts'
import { KeyedMutex } from '../async/keyed-mutex.ts'
import { clearInterval, setInterval, setTimeout, type Timer } from '../async/timers.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Config, Credentials } from '../config.ts'
import type { AccountId, RunId } from '../domain/ids.ts'
import { isLeased, type LeasedRun, type RunState } from '../domain/run.ts'
import type { RunSlots } from '../ephemeral/ephemeral-store.ts'
import { orUnavailable } from '../log/away.ts'
import type { EventLog, Recorded } from '../log/event-log.ts'
import type { Executed } from '../log/execute.ts'
import type { RunLoginDeps } from '../login/run-login.ts'
import type { RunItems, WorkerFigures } from '../metrics.ts'
import type { RateLimiter } from '../net/rate-limiter.ts'
import type { ReadModels } from '../read/read-models.ts'
import type { RunCommands } from '../runs/commands.ts'
import type { LiveItems } from '../runs/items/live-items.ts'
import { Attempt, type AttemptDeps } from './attempt.ts'
import type { CauseOfDeath } from './process/execution-end.ts'
import { type PoolSettings, ProcessPool, type RunPool } from './process/pool.ts'
import { type Candidate, Claims } from './queue/claims.ts'
import { FairQueue } from './queue/fair-queue.ts'
import { OpenRuns } from './queue/open-runs.ts'
import { Places, sourceOf } from './queue/places.ts'

export type WorkerSettings = PoolSettings &
  Pick<
    Config,
    | 'workerConcurrency'
    | 'accountConcurrency'
    | 'leaseS'
    | 'resultRetentionDays'
    | 'runFilesLimitMb'
    | 'diskFreeMinMb'
  >

export type WorkerDeps = Omit<RunLoginDeps, 'saving'> & {
  readonly log: EventLog
  readonly readModels: ReadModels
  readonly artifacts: Artifacts
  readonly liveItems: LiveItems
  readonly accounts: Accounts
  readonly commands: RunCommands
  readonly catalogue: Catalogue
  readonly exits: AttemptDeps['exits']
  /** the worker's name, for the events of its claims */
  readonly name: string
  /** called with the items that a run returned */
  readonly onItems?: ((items: RunItems) => void) | undefined
  /** called when a run is executed again because its process died */
  readonly onAgain?: ((source: string) => void) | undefined
  /** called when a process with runs died */
  readonly onDeath?: ((source: string, cause: CauseOfDeath) => void) | undefined
  /** called with what runs used of their exits */
  readonly onExitUsed?: AttemptDeps['onExitUsed']
  /** keeps the last answers of runs whose source changed; default: they are not kept */
  readonly captures?: AttemptDeps['captures']
  /** whether a task's fields have lost their values; default none */
  readonly isDrifting?: AttemptDeps['isDrifting']
  /** of all requests to sources in this process; default: one of its own */
  readonly rateLimiter?: RateLimiter | undefined
  /** the operator's credentials for the APIs of sources, by the name of the source */
  readonly credentials?: ReadonlyMap<string, Credentials> | undefined
  /** executes runs; default: child processes of this worker */
  readonly pool?: RunPool
  /** shared by the workers of several processes; without it this worker is the only one */
  readonly slots?: RunSlots | undefined
  /** the account whose runs alone are executed; default: all accounts */
  readonly only?: AccountId | undefined
}

/** How long runs may take to be handed back at a shutdown, in milliseconds. */
const HAND_BACK_MS = 5000

export class Worker {
  private readonly queue = new FairQueue()
  private readonly openRuns: OpenRuns
  readonly pool: RunPool
  /** runs under way: claimed, or being claimed. Events of a run being claimed are buffered for its attempt */
  private readonly active = new Map<RunId, Attempt | Recorded[]>()
  /** the places of active runs; a run whose end is being written has left its place */
  private readonly places: Places
  private readonly serving = new Set<Promise<void>>()
  private readonly attemptDeps: AttemptDeps
  private readonly claims: Claims
  private ticking: Timer | undefined
  private stopping = false
  private graceIsOver = false

  constructor(
    private readonly deps: WorkerDeps,
    private readonly settings: WorkerSettings,
  ) {
    const { log, readModels, accounts, logger, only } = deps
    this.pool =
      deps.pool ??
      orUnavailable(
        `${settings.dataDir}/work cannot be used`,
        () => new ProcessPool(settings, logger, deps.onDeath, deps.rateLimiter),
      )
    const { leaseS, accountConcurrency, workerConcurrency } = settings
    const { queue, pool } = this
    this.places = new Places(workerConcurrency, deps.catalogue.sources.length)
    this.attemptDeps = { ...deps, ...settings, pool, folder: pool.folder, saving: new KeyedMutex() }
    this.claims = new Claims(deps, leaseS, queue, () => this.pump())
    this.openRuns = new OpenRuns(
      { log, readModels, accounts, logger, queue, accountConcurrency, only },
      (id, recorded) => this.observe(id, recorded),
      () => this.pump(),
      () => this.abandonAll(),
    )
  }

  /** Resolves once the worker follows the log. May be called again after a store failed. @throws {StoreUnavailable} */
  async start(): Promise<void> {
    this.pool.start()
    const every = Math.min(250, (this.settings.leaseS * 1000) / 12)
    this.ticking ??= setInterval(() => this.tick(), every)
    await this.openRuns.start()
  }

  /**
   * Claims no more runs. Runs under way continue until `grace` resolves and are then handed back. When it resolves,
   * child processes and everything else are gone.
   */
  async stop(grace: Promise<unknown>): Promise<void> {
    this.stopping = true
    await Promise.race([this.idle(), grace])
    this.graceIsOver = true
    for (const attempt of this.active.values()) if (attempt instanceof Attempt) attempt.shutDown()
    await Promise.race([this.idle(), new Promise<void>((go) => setTimeout(go, HAND_BACK_MS).unref())])
    clearInterval(this.ticking)
    await this.openRuns.stop()
    await this.pool.stop()
  }

  /** Current figures, for metrics. */
  figures(): WorkerFigures {
    const { active, pool, queue, deps } = this
    const now = deps.now()
    const oldestS = Math.max(0, now - (queue.oldest() ?? now)) / 1000
    return { runs: active.size, processes: pool.figures(), waiting: queue.size, oldestS }
  }

  private async idle(): Promise<void> {
    while (this.serving.size > 0) await Promise.all(this.serving)
  }

  private tick(): void {
    const now = this.deps.now()
    for (const attempt of this.active.values()) if (attempt instanceof Attempt) attempt.tick(now)
    this.claims.tick(now)
  }

  /** The log was set back. It is unknown who owns the runs under way here, so they are left until their leases end. */
  private abandonAll(): void {
    for (const attempt of this.active.values())
      if (attempt instanceof Attempt) attempt.abandon('the log was set back or replaced')
  }

  private observe(id: RunId, recorded: Recorded): void {
    const attempt = this.active.get(id)
    if (attempt instanceof Attempt) attempt.observe(recorded)
    else attempt?.push(recorded)
  }

  /**
   * Starts queued runs while there is room.
   *
   * @param after the write that makes room: claims share its commit if possible, and fail with it
   */
  private pump(after?: Promise<unknown>): void {
    while (!this.stopping && !this.claims.isPaused && this.openRuns.isReady) {
      const id = this.queue.next((source) => this.places.admits(source))
      if (id === undefined) return
      if (this.active.has(id)) {
        // The run is queued again, but this worker has not fully released it yet.
        this.queue.putBack(id)
        return
      }
      this.startRun({ id, known: this.openRuns.takeState(id), after })
    }
  }

  private startRun(candidate: Candidate): void {
    const { id } = candidate
    this.active.set(id, [])
    this.places.enter(id, this.queue.sourceOf(id))
    const served = this.serve(candidate).finally(() => {
      this.active.delete(id)
      this.places.leave(id)
      this.serving.delete(served)
      void this.claims.release(id, false)
      this.pump()
    })
    this.serving.add(served)
  }

  private async serve(candidate: Candidate): Promise<void> {
    try {
      const claim = await this.claims.claim(candidate)
      if (claim) await this.attempt(candidate.id, claim)
    } catch (error) {
      // When the lease ends, the reconciler requeues or ends the run.
      this.deps.logger.error(
        { err: error, run_id: candidate.id },
        'A run failed on this worker. When its lease ends it is requeued.',
      )
    }
  }

  private async attempt(id: RunId, { state, revision, events }: Executed<RunState>): Promise<void> {
    const claim = events.at(-1)
    // A run that was late in the queue was ended instead.
    if (!claim || !isLeased(state)) return
    const task = this.deps.catalogue.get(state.taskKey)
    const attempt = new Attempt(this.attemptDeps, { run: state, revision, id: claim.id }, task, (written) =>
      this.ending(state, written),
    )
    const buffer = this.active.get(id)
    this.active.set(id, attempt)
    for (const recorded of Array.isArray(buffer) ? buffer : []) attempt.observe(recorded)
    if (this.graceIsOver) attempt.shutDown()
    await attempt.perform()
  }

  /** The end of a run is being written: it leaves its place to another one. */
  private ending({ runId: id, taskKey }: LeasedRun, written: Promise<unknown>): void {
    this.places.leave(id)
    this.queue.finishing(id)
    // The attempt handles a failed write, and sends another one.
    written.then(
      () => this.claims.release(id, true),
      () => {
        if (this.active.has(id)) this.places.enter(id, sourceOf(taskKey))
      },
    )
    this.pump(written)
  }
}
