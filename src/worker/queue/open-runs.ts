/**
 * Feeds the queue with the open runs: those in the read model at the start, and afterwards the log's events of runs and
 * of accounts' limits.
 *
 * @module
 */
import { runs } from '../../../projections/runs.ts'
import type { Accounts } from '../../accounts/accounts.ts'
import { retry } from '../../async/retry.ts'
import { isTerminalEvent, type Limits } from '../../domain/events.ts'
import { type AccountId, idOf, parseRunId, type RunId } from '../../domain/ids.ts'
import { isAdmitted, type RunState, runDecider } from '../../domain/run.ts'
import { type EventLog, LogReplaced, type Position, type Recorded } from '../../log/event-log.ts'
import { foldFrom, type Loaded } from '../../log/execute.ts'
import type { Logger } from '../../logger.ts'
import { pagesOf } from '../../read/pages.ts'
import { isFromLog, type ReadModels } from '../../read/read-models.ts'
import type { FairQueue } from './fair-queue.ts'
import { sourceOf } from './places.ts'

export type OpenRunsDeps = {
  readonly log: EventLog
  readonly readModels: ReadModels
  readonly accounts: Pick<Accounts, 'seen' | 'state'>
  readonly logger: Logger
  readonly queue: FairQueue
  /** default limit of one account's running runs; 0: no limit */
  readonly accountConcurrency: number
  /** the account whose runs alone are queued; default: all accounts */
  readonly only?: AccountId | undefined
}

/** The number of queued runs whose state is cached, so that their claims need no read. */
const KEPT_STATES = 20_000
/** The delay between two attempts to read an account's limits, in milliseconds. */
const RETRY_MS = 1000

export class OpenRuns {
  /** Whether all events from before the start have been seen. Until then, runs may only appear to be queued. */
  isReady = false
  private readonly states = new Map<RunId, Loaded<RunState>>()
  private readonly asking = new Set<AccountId>()
  private readonly stopped = new AbortController()
  private following: Promise<void> | undefined

  /**
   * @param onRun called with every event of a run, after the queue was updated
   * @param onChange called when a run may be ready to start
   * @param onReplaced called when the log was set back or replaced, which invalidates everything read from it
   */
  constructor(
    private readonly deps: OpenRunsDeps,
    private readonly onRun: (id: RunId, recorded: Recorded) => void,
    private readonly onChange: () => void,
    private readonly onReplaced: () => void,
  ) {}

  async start(): Promise<void> {
    const begin = await this.openRuns()
    this.following = this.follow(begin)
  }

  async stop(): Promise<void> {
    this.stopped.abort()
    await this.following
  }

  /** Removes and returns the last known state of a queued run; undefined when it must be read. */
  takeState(id: RunId): Loaded<RunState> | undefined {
    const known = this.states.get(id)
    this.states.delete(id)
    return known
  }

  /** Loads the open runs from the read model. @returns the log position that the read model reflects */
  private async openRuns(): Promise<Position | null> {
    const { log, readModels, queue } = this.deps
    const checkpoint = await readModels.checkpoint(runs)
    if (!checkpoint || !(await isFromLog(log, checkpoint))) return null
    for await (const rows of pagesOf(readModels, runs, 'open', { equals: [1], order: 'ascending' }))
      for (const { run, revision } of rows) {
        if (!this.serves(run.accountId)) continue
        if (run.status === 'queued') this.queued({ state: run, revision })
        else queue.leased({ id: run.runId, account: run.accountId, source: sourceOf(run.taskKey), revision })
        this.limitOf(run.accountId)
      }
    return checkpoint.position
  }

  /** Follows the log; starts again from the beginning when it is replaced. */
  private async follow(begin: Position | null): Promise<void> {
    for (let after = begin; !this.stopped.signal.aborted; ) {
      try {
        return await this.listen(after)
      } catch (error) {
        if (!(error instanceof LogReplaced)) throw error
      }
      this.isReady = false
      this.deps.queue.clear()
      this.states.clear()
      this.onReplaced()
      // The read models do not reflect the new log yet.
      after = null
    }
  }

  private async listen(after: Position | null): Promise<void> {
    for await (const delivery of this.deps.log.subscribe(after, { signal: this.stopped.signal })) {
      if (delivery.kind === 'caught-up') this.isReady = true
      else for (const recorded of delivery.events) this.hear(recorded)
      this.onChange()
    }
  }

  private hear(recorded: Recorded): void {
    const { event, revision, meta } = recorded
    const { queue } = this.deps
    if (event?.type === 'EntitlementsSet') queue.limit(event.data.account_id, this.limitIn(event.data.limits))
    const id = parseRunId(idOf(recorded.stream))
    if (!event || !id) return
    const news = { id, account: meta.account_id as AccountId, revision }
    if (!this.serves(news.account)) return
    switch (event.type) {
      case 'RunRequested':
        this.queued(foldFrom(runDecider, { state: runDecider.initial, revision: -1 }, [recorded]))
        break
      case 'RunRequeued':
        queue.requeued(news, Date.parse(meta.at))
        break
      case 'RunStarted':
        this.states.delete(id)
        queue.leased(news)
        break
      default:
        if (!isTerminalEvent(event.type)) break
        this.states.delete(id)
        queue.ended(id)
    }
    this.limitOf(news.account)
    this.onRun(id, recorded)
  }

  private serves(account: AccountId): boolean {
    const { only } = this.deps
    return only === undefined || account === only
  }

  private queued({ state, revision }: Loaded<RunState>): void {
    if (!isAdmitted(state)) return
    const { runId: id, accountId: account, taskKey, createdAt } = state
    if (this.states.size < KEPT_STATES) this.states.set(id, { state, revision })
    this.deps.queue.queued({ id, account, source: sourceOf(taskKey), revision }, Date.parse(createdAt))
  }

  /** Makes sure that the queue knows an account's limit. A limit from the log is newer than one that is read here. */
  private limitOf(account: AccountId): void {
    const { queue } = this.deps
    if (queue.knows(account) || this.asking.has(account)) return
    const seen = this.deps.accounts.seen(account)
    if (seen) {
      queue.limit(account, this.limitIn(seen.limits))
      return
    }
    this.asking.add(account)
    void this.ask(account).finally(() => this.asking.delete(account))
  }

  private limitIn({ concurrent_runs }: Limits): number {
    return concurrent_runs ?? this.deps.accountConcurrency
  }

  private async ask(account: AccountId): Promise<void> {
    const { accounts, logger, queue } = this.deps
    const read = async () => {
      const { limits } = await accounts.state(account)
      if (!queue.knows(account)) queue.limit(account, this.limitIn(limits))
      this.onChange()
    }
    const { signal } = this.stopped
    await retry(read, {
      when: () => !queue.knows(account),
      signal,
      firstMs: RETRY_MS,
      longestMs: RETRY_MS,
      onRetry: (err) =>
        logger.warn(
          { err, account_id: account },
          "An account's limits could not be read. Its runs stay queued until they are.",
        ),
    }).catch(() => {
      // The worker stops, or the limit arrived from the log in the meantime.
    })
  }
}
