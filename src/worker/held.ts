/**
 * A run's stream as the worker that holds the run knows it: kept up with what others write, and written to without
 * reading it again.
 *
 * @module
 */
import type { HeldRun, RunCommand, RunState } from '../domain/run.ts'
import { type Recorded, StoreUnavailable, WrongExpectedRevision } from '../log/event-log.ts'
import { type ExecuteOptions, foldFrom, type Loaded } from '../log/execute.ts'
import { runFold } from '../log/folds.ts'
import type { Logger } from '../logger.ts'
import { type RunCommands, RunRefused } from '../runs/commands.ts'

export type HeldDeps = {
  readonly commands: RunCommands
  readonly logger: Logger
  readonly now: () => number
}

const RETRY_MS = 100
const LONGEST_RETRY_MS = 2000

export class Held {
  private readonly run: HeldRun
  private known: Loaded<RunState>

  /**
   * @param claimed the run as its claim left it
   * @param causationId the event of the claim
   * @param onChange told of every newer state
   */
  constructor(
    private readonly deps: HeldDeps,
    claimed: Loaded<HeldRun>,
    private readonly causationId: string,
    private readonly onChange: (state: RunState) => void,
  ) {
    this.run = claimed.state
    this.known = claimed
  }

  get state(): RunState {
    return this.known.state
  }

  /** Milliseconds since 1970; 0 when nobody holds the run any more. */
  get leaseUntil(): number {
    const { state } = this.known
    return 'leaseUntil' in state ? Date.parse(state.leaseUntil) : 0
  }

  /** Hears what happened to the run; what is known already is left out. */
  observe(recorded: Recorded): void {
    if (recorded.revision > this.known.revision) this.learn(foldFrom(runFold, this.known, [recorded]))
  }

  /** @throws {RunRefused} when the run is not held by this attempt any more */
  async give(command: RunCommand, options?: ExecuteOptions): Promise<void> {
    const { commands, now } = this.deps
    const cause = { causationId: this.causationId, now: now() }
    this.learn(await commands.give(this.run.runId, command, cause, this.known, options))
  }

  /**
   * Does something that the store may not let happen now, again and again until the lease ends.
   *
   * @returns whether it was done; false when the run is somebody else's, or left to its lease
   * @throws what `act` throws when it is neither the store's absence nor a lost race: a defect is the same next time
   */
  async persist(act: () => Promise<unknown>): Promise<boolean> {
    const { logger, now } = this.deps
    const run_id = this.run.runId
    for (let wait = RETRY_MS; ; wait = Math.min(LONGEST_RETRY_MS, wait * 2)) {
      try {
        await act()
        return true
      } catch (error) {
        if (error instanceof RunRefused) {
          logger.info({ run_id, refusal: error.refusal }, 'a run had gone on without its worker')
          return false
        }
        if (!mayPass(error)) throw error
        if (now() + wait >= this.leaseUntil) {
          logger.error({ err: error, run_id }, 'a run is left to its lease: the store is away')
          return false
        }
        logger.warn({ err: error, run_id }, 'the store is away, and asked again')
        await new Promise((go) => setTimeout(go, wait))
      }
    }
  }

  private learn({ state, revision }: Loaded<RunState>): void {
    if (revision <= this.known.revision) return
    this.known = { state, revision }
    this.onChange(state)
  }
}

const mayPass = (error: unknown): boolean =>
  error instanceof StoreUnavailable || error instanceof WrongExpectedRevision
