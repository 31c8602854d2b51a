/**
 * Decides which run is next. Accounts take turns. In its turn, an account's oldest run is started, requeued runs before
 * all others. An account at its limit of running runs gets no turn. So an account with 10,000 queued runs delays the
 * first run of another account by only one run. Runs of the canary start only where no other account's run can.
 *
 * Pure: callers report events of runs, from any process, and ask for the next run. An operation takes as long as there
 * are sources, however many runs and accounts wait, unless noted otherwise.
 *
 * @module
 */
import { CANARY_ACCOUNT_ID } from '../../domain/health/canary.ts'
import type { AccountId, RunId } from '../../domain/ids.ts'
import type { SourceName } from './places.ts'
import { Turns } from './turns.ts'
import { WaitingRuns } from './waiting-runs.ts'

/** News of a run. */
export type RunNews = {
  readonly id: RunId
  readonly account: AccountId
  /** the one that is reported first counts */
  readonly source?: SourceName
  /** of the event in the run's stream */
  readonly revision: number
}

/** A run that has not ended, as far as known. */
type Entry = {
  readonly id: RunId
  readonly account: Account
  readonly source: SourceName
  /** its place among the queued runs of its account */
  order: number
  /** milliseconds since 1970: when it was requested, or requeued if that event arrived first */
  since: number
  /** last known revision of the run's stream */
  revision: number
  /**
   * `leased`: claimed, or handed out to be claimed; `finishing`: its end is being written, and it no longer counts
   * against its account's limit
   */
  status: 'new' | 'queued' | 'leased' | 'finishing' | 'ended'
}

type Account = {
  readonly id: AccountId
  readonly waiting: WaitingRuns<Entry>
  /** runs that have not ended */
  open: number
  leased: number
  /** runs that may be leased at once, 0: any number; undefined: not known yet, so none is handed out */
  limit: number | undefined
  /** as far as known, other workers already run as many runs as the limit allows */
  full: boolean
  mayStart: boolean
}

export class FairQueue {
  private readonly runs = new Map<RunId, Entry>()
  /** accounts with runs that have not ended */
  private readonly accounts = new Map<AccountId, Account>()
  private readonly turns = new Turns<Entry, Account>()
  /** of the canary: they are free of charge, so they take no place that another account's run waits for */
  private readonly spareTurns = new Turns<Entry, Account>()

  /** Forgets all runs and accounts. */
  clear(): void {
    this.runs.clear()
    this.accounts.clear()
    this.turns.clear()
    this.spareTurns.clear()
  }

  /** The number of waiting runs. Visits every account: for metrics. */
  get size(): number {
    return this.accounts.values().reduce((size, account) => size + account.waiting.size, 0)
  }

  /**
   * When the longest waiting run was requested, in milliseconds since 1970; undefined when none waits. Visits every
   * account: for metrics.
   */
  oldest(): number | undefined {
    let oldest = Number.POSITIVE_INFINITY
    for (const { waiting } of this.accounts.values()) oldest = Math.min(oldest, waiting.oldest())
    return Number.isFinite(oldest) ? oldest : undefined
  }

  /** Whether the account's limit is known, or irrelevant because the account has no open run. */
  knows(account: AccountId): boolean {
    const known = this.accounts.get(account)
    return known === undefined || known.limit !== undefined
  }

  /** Sets how many runs of an account may run at once; 0: any number. */
  limit(account: AccountId, limit: number): void {
    const known = this.accounts.get(account)
    if (!known) return
    known.limit = limit
    this.enqueue(known)
  }

  /**
   * A run was requested. Runs of one account must be reported in the order of their requests.
   *
   * @param since milliseconds since 1970: when it was requested
   */
  queued(news: RunNews, since: number): void {
    const entry = this.hear(news, since)
    if (entry) this.wait(entry, 'requested')
  }

  /**
   * A run that was claimed is back in the queue.
   *
   * @param since milliseconds since 1970; ignored if the time of the run's request is known
   */
  requeued(news: RunNews, since: number): void {
    const entry = this.hear(news, since)
    if (!entry) return
    if (Number.isNaN(entry.since)) entry.since = since
    this.wait(entry, 'requeued')
  }

  /** A worker has claimed the run. */
  leased(news: RunNews): void {
    const entry = this.hear(news, Number.NaN)
    if (entry) this.set(entry, 'leased')
  }

  /** The run's end is being written: another run may start in its place. */
  finishing(id: RunId): void {
    const entry = this.runs.get(id)
    if (entry) this.set(entry, 'finishing')
  }

  /** The run has ended. */
  ended(id: RunId): void {
    const entry = this.runs.get(id)
    if (!entry) return
    const { account } = entry
    this.runs.delete(id)
    account.full = false
    account.open--
    this.set(entry, 'ended')
    if (account.open === 0) this.accounts.delete(account.id)
  }

  /** A run that was handed out could not be started now: it is queued again, unless newer news of it arrived. */
  putBack(id: RunId): void {
    const entry = this.runs.get(id)
    if (entry?.status === 'leased') this.wait(entry, 'requeued')
  }

  /**
   * The last known revision of a run that was handed out, and that another worker is about to claim; undefined when the
   * run is unknown.
   *
   * @returns the revision to pass to {@link unclaimed}
   */
  revisionOf(id: RunId): number | undefined {
    return this.runs.get(id)?.revision
  }

  /** If no newer event of the run arrived, the other worker did not claim it: the run is queued again. */
  unclaimed(id: RunId, revision: number | undefined): void {
    if (this.revisionOf(id) === revision) this.putBack(id)
  }

  /** Sets whether other workers use up an account's limit. Such an account is skipped until one of its runs ends. */
  full(id: AccountId, isFull: boolean): void {
    const account = this.accounts.get(id)
    if (!account) return
    account.full = isFull
    this.enqueue(account)
  }

  /** A run's account and its limit of running runs, 0: any number; undefined when unknown. */
  accountOf(id: RunId): { readonly id: AccountId; readonly limit: number } | undefined {
    const account = this.runs.get(id)?.account
    return account?.limit === undefined ? undefined : { id: account.id, limit: account.limit }
  }

  /** A run's source; undefined when unknown. */
  sourceOf(id: RunId): SourceName {
    return this.runs.get(id)?.source
  }

  /**
   * Hands out the next run to start, which then counts as leased; undefined when none may start.
   *
   * @param admits whether a run of a source may start now
   */
  next(admits: (source: SourceName) => boolean = () => true): RunId | undefined {
    const entry = this.turns.next(admits) ?? this.spareTurns.next(admits)
    if (entry) this.set(entry, 'leased')
    return entry?.id
  }

  /** Applies news. @returns undefined when they are stale */
  private hear(news: RunNews, since: number): Entry | undefined {
    const entry = this.runs.get(news.id)
    if (!entry) return this.add(news, since)
    if (news.revision <= entry.revision) return undefined
    entry.revision = news.revision
    return entry
  }

  private add({ id, account: accountId, source, revision }: RunNews, since: number): Entry {
    let account = this.accounts.get(accountId)
    if (!account) {
      account = {
        id: accountId,
        waiting: new WaitingRuns<Entry>(),
        open: 0,
        leased: 0,
        limit: undefined,
        full: false,
        mayStart: false,
      }
      this.accounts.set(accountId, account)
    }
    account.open++
    const entry: Entry = { id, account, source, order: 0, since, revision, status: 'new' }
    this.runs.set(id, entry)
    return entry
  }

  private wait(entry: Entry, queue: 'requeued' | 'requested'): void {
    this.set(entry, 'queued')
    entry.account.waiting.add(entry, queue)
    this.enqueue(entry.account, entry)
  }

  private set(entry: Entry, status: Entry['status']): void {
    const { account } = entry
    if (entry.status === 'queued') account.waiting.delete(entry)
    if (entry.status === 'leased') account.leased--
    if (status === 'leased') account.leased++
    entry.status = status
    this.enqueue(account, entry)
  }

  /** Queues an account for its turns, or removes it. @param changed its run that was queued, or left the queue */
  private enqueue(account: Account, changed?: Entry): void {
    const { leased, limit, full } = account
    const mayStart = !full && limit !== undefined && (limit === 0 || leased < limit)
    const turns = account.id === CANARY_ACCOUNT_ID ? this.spareTurns : this.turns
    turns.set(account, mayStart, changed ? [changed.source] : [])
  }
}
