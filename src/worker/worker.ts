/**
 * Takes queued runs, as many at once as the settings say, and brings each to its end. It hears of runs from the log,
 * and claims one by an append: of several workers one succeeds, and the others do nothing.
 *
 * @module
 */
import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { RunId } from '../domain/ids.ts'
import { type HeldRun, isAdmitted, isEnded, type RunState } from '../domain/run.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { EventLog, Recorded } from '../log/event-log.ts'
import type { Executed } from '../log/execute.ts'
import type { Logger } from '../logger.ts'
import type { ReadModels } from '../read/read-models.ts'
import { type RunCommands, RunRefused } from '../runs/commands.ts'
import { Attempt, type AttemptDeps } from './attempt.ts'
import { ChildPool, type PoolSettings } from './child-pool.ts'
import { Intake } from './intake.ts'
import { FairQueue } from './queue.ts'
import { openWorkFolder, removeFolder } from './work-folder.ts'

export type WorkerSettings = Omit<PoolSettings, 'size'> & {
  /** runs at once in this process */
  readonly concurrency: number
  /** running runs of one account where the account's own limit does not say; 0: no limit */
  readonly accountConcurrency: number
  readonly leaseS: number
  readonly resultRetentionDays: number
  /** for files on their way into the artifact store, on its file system */
  readonly workFolder: string
}

export type WorkerDeps = {
  readonly log: EventLog
  readonly readModels: ReadModels
  readonly artifacts: Artifacts
  readonly ledger: Ledger
  readonly commands: RunCommands
  readonly catalogue: Catalogue
  readonly logger: Logger
  /** milliseconds since 1970 */
  readonly now: () => number
  /** which worker it is, for the events of its claims */
  readonly name: string
  /** told of each run that this worker ended; `seconds` since its first start */
  readonly onEnded?: ((task: string, end: string, seconds: number) => void) | undefined
}

/** After a claim that the store did not let happen, in milliseconds. */
const STORE_PAUSE_MS = 500
/** How long runs may take to be handed back at a shutdown, in milliseconds. */
const HAND_BACK_MS = 5000

export class Worker {
  private readonly queue = new FairQueue()
  private readonly intake: Intake
  private readonly pool: ChildPool
  private readonly folder: string
  /** runs under way: claimed, or about to be. Events of one that is about to be wait for its attempt */
  private readonly active = new Map<RunId, Attempt | Recorded[]>()
  private readonly serving = new Set<Promise<void>>()
  private readonly attemptDeps: AttemptDeps
  private ticking: ReturnType<typeof setInterval> | undefined
  private paused: ReturnType<typeof setTimeout> | undefined
  private stopping = false
  private graceIsOver = false

  constructor(
    private readonly deps: WorkerDeps,
    private readonly settings: WorkerSettings,
  ) {
    const { log, readModels, ledger, logger } = deps
    this.folder = openWorkFolder(settings.workFolder)
    this.pool = new ChildPool({ ...settings, size: settings.concurrency }, logger)
    const { leaseS, resultRetentionDays } = settings
    this.attemptDeps = { ...deps, pool: this.pool, folder: this.folder, leaseS, resultRetentionDays }
    this.intake = new Intake(
      { log, readModels, ledger, logger },
      { queue: this.queue, accountConcurrency: settings.accountConcurrency },
      (id, recorded) => this.observe(id, recorded),
      () => this.pump(),
    )
  }

  /** Begins; resolves when it follows the log. */
  async start(): Promise<void> {
    this.pool.start()
    const every = Math.min(250, (this.settings.leaseS * 1000) / 12)
    this.ticking = setInterval(() => this.tick(), every)
    await this.intake.start()
  }

  /**
   * Takes no more runs; those under way go on until `grace` resolves and are handed back then.
   * Children and everything else are gone when it resolves.
   */
  async stop(grace: Promise<unknown>): Promise<void> {
    this.stopping = true
    clearTimeout(this.paused)
    await Promise.race([this.idle(), grace])
    this.graceIsOver = true
    for (const attempt of this.active.values()) if (attempt instanceof Attempt) attempt.shutDown()
    await Promise.race([this.idle(), new Promise((go) => setTimeout(go, HAND_BACK_MS).unref())])
    clearInterval(this.ticking)
    await this.intake.stop()
    await this.pool.stop()
    removeFolder(this.folder)
  }

  /** What it does right now. */
  figures(): { readonly runs: number; readonly children: number } {
    return { runs: this.active.size, children: this.pool.count }
  }

  /** Queued runs, and the age of the oldest in seconds; 0 when none waits. */
  queueFigures(): { readonly waiting: number; readonly oldestS: number } {
    const oldest = this.queue.oldest()
    const oldestS = oldest === undefined ? 0 : Math.max(0, this.deps.now() - oldest) / 1000
    return { waiting: this.queue.size, oldestS }
  }

  private async idle(): Promise<void> {
    while (this.serving.size > 0) await Promise.all(this.serving)
  }

  private tick(): void {
    const now = this.deps.now()
    for (const attempt of this.active.values()) if (attempt instanceof Attempt) attempt.tick(now)
  }

  private observe(id: RunId, recorded: Recorded): void {
    const attempt = this.active.get(id)
    if (attempt instanceof Attempt) attempt.observe(recorded)
    else attempt?.push(recorded)
  }

  /** Takes runs as long as there is room. */
  private pump(): void {
    while (
      !this.stopping &&
      this.paused === undefined &&
      this.intake.isReady &&
      this.active.size < this.settings.concurrency
    ) {
      const id = this.queue.next()
      if (id === undefined) return
      if (this.active.has(id)) {
        // It is back in the queue while this worker has not quite let go of it.
        this.queue.putBack(id)
        return
      }
      this.active.set(id, [])
      const served = this.serve(id).finally(() => {
        this.active.delete(id)
        this.serving.delete(served)
        this.pump()
      })
      this.serving.add(served)
    }
  }

  private async serve(id: RunId): Promise<void> {
    try {
      const claimed = await this.claim(id)
      if (claimed) this.told(await this.attempt(id, claimed))
    } catch (error) {
      // The lease ends, and settle sees to the run.
      this.deps.logger.error({ err: error, run_id: id }, 'a run was left to its lease')
    }
  }

  /** @returns undefined when the run is not to be had */
  private async claim(id: RunId): Promise<Executed<RunState> | undefined> {
    const { commands, now, name, logger } = this.deps
    const at = now()
    try {
      return await commands.give(
        id,
        { type: 'start', now: at, leaseS: this.settings.leaseS, worker: name },
        { causationId: name, now: at },
        this.intake.take(id),
      )
    } catch (error) {
      if (error instanceof RunRefused) return undefined
      logger.warn({ err: error, run_id: id }, 'a run could not be claimed yet')
      this.queue.putBack(id)
      this.paused ??= setTimeout(() => {
        this.paused = undefined
        this.pump()
      }, STORE_PAUSE_MS)
      return undefined
    }
  }

  private async attempt(id: RunId, claimed: Executed<RunState>): Promise<RunState | undefined> {
    const { state, revision, events } = claimed
    const claim = events.at(-1)
    // One that was late in the queue has ended instead.
    if (!claim || !isHeld(state)) return state
    const task = this.deps.catalogue.get(state.taskKey)
    const attempt = new Attempt(this.attemptDeps, { state, revision }, task, claim.id)
    const missed = this.active.get(id)
    this.active.set(id, attempt)
    for (const recorded of Array.isArray(missed) ? missed : []) attempt.observe(recorded)
    if (this.graceIsOver) attempt.shutDown()
    return attempt.perform()
  }

  private told(state: RunState | undefined): void {
    if (!state || !isAdmitted(state) || !isEnded(state)) return
    const { taskKey, status, startedAt, finishedAt } = state
    const seconds = startedAt === null ? 0 : (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000
    this.deps.onEnded?.(taskKey, status, seconds)
  }
}

const isHeld = (state: RunState): state is HeldRun =>
  state.status === 'running' || state.status === 'cancelling'
