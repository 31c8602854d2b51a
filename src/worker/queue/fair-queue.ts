/**
 * Which run is next. Accounts take turns; each has its oldest run served in its turn, requeued runs before all others.
 * An account at its limit of running runs has no turn. So an account with 10,000 queued runs delays the first run of
 * another by one run.
 *
 * Pure: it is told what happened to runs, in any process, and asked what to do. Every operation takes O(1).
 *
 * @module
 */
import type { AccountId, RunId } from '../../domain/ids.ts'

/** Something that happened to a run: what became of it, and where in its stream. */
export type RunNews = {
  readonly id: RunId
  readonly account: AccountId
  readonly revision: number
}

/** What is known of a run that has not ended. */
type Entry = {
  readonly id: RunId
  readonly account: Account
  /** milliseconds since 1970: when it was requested, or requeued where that was heard first */
  since: number
  /** of the run's stream, as last heard; -1 before its first event */
  revision: number
  /** `leased`: claimed, or given out to be claimed; `finishing`: its end is being written, and it no longer counts against its account's limit */
  status: 'new' | 'queued' | 'leased' | 'finishing'
}

type Account = {
  readonly id: AccountId
  /** queued runs that were claimed before: they go first */
  readonly requeued: Fifo<Entry>
  /** queued runs that never were, in the order of their requests */
  readonly requested: Fifo<Entry>
  /** runs that have not ended */
  open: number
  leased: number
  /** runs that may be leased at once, 0: any number; undefined: not known yet, so none is given out */
  limit: number | undefined
  /** other workers run as many as its limit allows, as far as is known */
  full: boolean
}

export class FairQueue {
  private readonly runs = new Map<RunId, Entry>()
  /** accounts with runs that have not ended */
  private readonly accounts = new Map<AccountId, Account>()
  /** accounts that have a queued run and may have it running, in the order of their turns */
  private readonly turns = new Fifo<Account>()

  /** Forgets all runs and accounts. */
  clear(): void {
    for (const account of this.accounts.values()) this.turns.delete(account)
    this.runs.clear()
    this.accounts.clear()
  }

  /** How many runs wait. Looks at every account: for figures. */
  get size(): number {
    return this.accounts.values().reduce((size, account) => size + waitingOf(account), 0)
  }

  /**
   * When the run that has waited longest was requested, in milliseconds since 1970; undefined when none waits.
   * Looks at every account: for figures.
   */
  oldest(): number | undefined {
    let oldest: number | undefined
    for (const { requeued, requested } of this.accounts.values())
      for (const since of [firstOf(requeued)?.since, firstOf(requested)?.since])
        if (since !== undefined && (oldest === undefined || since < oldest)) oldest = since
    return oldest
  }

  /** Whether the account's limit is known, or it has no open run, so that it does not matter. */
  knows(account: AccountId): boolean {
    const known = this.accounts.get(account)
    return known === undefined || known.limit !== undefined
  }

  /** Says how many runs an account may have running at once; 0: any number. */
  limit(account: AccountId, limit: number): void {
    const known = this.accounts.get(account)
    if (!known) return
    known.limit = limit
    this.enqueue(known)
  }

  /**
   * A run was requested, and waits unless it is being claimed already. Runs of one account must come in the order of
   * their requests.
   *
   * @param since milliseconds since 1970: when it was requested
   */
  queued(news: RunNews, since: number): void {
    const entry = this.hear(news, since)
    if (entry?.status === 'new') this.wait(entry, entry.account.requested)
  }

  /**
   * A run that was claimed is back in the queue.
   *
   * @param since milliseconds since 1970; ignored where it is known when the run was requested
   */
  requeued(news: RunNews, since: number): void {
    const entry = this.hear(news, since)
    if (!entry) return
    if (Number.isNaN(entry.since)) entry.since = since
    this.wait(entry, entry.account.requeued)
  }

  /** A worker has claimed the run. */
  leased(news: RunNews): void {
    const entry = this.hear(news, Number.NaN)
    if (entry) this.set(entry, 'leased')
  }

  /**
   * A run is being requested by this process, and may be claimed with its request when none of its account waits
   * before it.
   *
   * @param limit as for {@link limit}; undefined when it is not known
   * @returns whether it is given out, as by {@link next}
   */
  begin(id: RunId, account: AccountId, limit: number | undefined, since: number): boolean {
    const known = this.accounts.get(account)
    if (this.runs.has(id) || (known && waitingOf(known) > 0)) return false
    if (!hasRoom({ leased: known?.leased ?? 0, limit: known?.limit ?? limit })) return false
    const entry = this.add({ id, account, revision: -1 }, since)
    entry.account.limit ??= limit
    this.set(entry, 'leased')
    return true
  }

  /** The run's end is being written: another may start in its place. */
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
    this.set(entry, 'finishing')
    if (account.open === 0) this.accounts.delete(account.id)
  }

  /** A run that was given out could not be started for now: it waits on, unless something was heard of it since. */
  putBack(id: RunId): void {
    const entry = this.runs.get(id)
    if (entry?.status !== 'leased') return
    // If its request is not there yet it may never be: if it comes, the log will tell.
    if (entry.revision >= 0) this.wait(entry, entry.account.requeued)
    else this.ended(id)
  }

  /**
   * What was heard of a run that was given out and that another worker is about to claim: its revision.
   *
   * @returns to be given to {@link unclaimed}
   */
  heard(id: RunId): number {
    // That a new run was requested, which may be heard later, is no claim.
    return Math.max(0, this.runs.get(id)?.revision ?? 0)
  }

  /** The other worker did not claim it, as far as nothing was heard of the run since: it waits on. */
  unclaimed(id: RunId, heard: number): void {
    if (this.runs.has(id) && this.heard(id) === heard) this.putBack(id)
  }

  /** Whether other workers run as many of an account's as it may: then it is skipped until one of its runs ends. */
  full(id: AccountId, isFull: boolean): void {
    const account = this.accounts.get(id)
    if (!account) return
    account.full = isFull
    this.enqueue(account)
  }

  /** A run's account and how many runs it may have running, 0: any number; undefined when they are not known. */
  accountOf(id: RunId): { readonly id: AccountId; readonly limit: number } | undefined {
    const account = this.runs.get(id)?.account
    return account?.limit === undefined ? undefined : { id: account.id, limit: account.limit }
  }

  /** The run to be started now, counted as leased from here on; undefined when there is none. */
  next(): RunId | undefined {
    const account = this.turns.shift()
    const entry = account?.requeued.shift() ?? account?.requested.shift()
    if (entry) this.set(entry, 'leased')
    return entry?.id
  }

  /** Takes news in. @returns undefined when they are old */
  private hear(news: RunNews, since: number): Entry | undefined {
    const entry = this.runs.get(news.id)
    if (!entry) return this.add(news, since)
    if (news.revision <= entry.revision) return undefined
    entry.revision = news.revision
    return entry
  }

  private add({ id, account: accountId, revision }: RunNews, since: number): Entry {
    let account = this.accounts.get(accountId)
    if (!account) {
      const queues = { requeued: new Fifo<Entry>(), requested: new Fifo<Entry>() }
      account = { id: accountId, ...queues, open: 0, leased: 0, limit: undefined, full: false }
      this.accounts.set(accountId, account)
    }
    account.open++
    const entry: Entry = { id, account, since, revision, status: 'new' }
    this.runs.set(id, entry)
    return entry
  }

  private wait(entry: Entry, queue: Fifo<Entry>): void {
    this.set(entry, 'queued')
    queue.add(entry)
    this.enqueue(entry.account)
  }

  private set(entry: Entry, status: Entry['status']): void {
    const { account } = entry
    if (entry.status === 'queued') {
      account.requeued.delete(entry)
      account.requested.delete(entry)
    }
    if (entry.status === 'leased') account.leased--
    if (status === 'leased') account.leased++
    entry.status = status
    this.enqueue(account)
  }

  /** Queues an account for its turn, or takes it out. One that is queued already keeps its place. */
  private enqueue(account: Account): void {
    if (waitingOf(account) > 0 && hasRoom(account) && !account.full) this.turns.add(account)
    else this.turns.delete(account)
  }
}

const waitingOf = ({ requeued, requested }: Account): number => requeued.size + requested.size
const hasRoom = ({ leased, limit }: Pick<Account, 'leased' | 'limit'>): boolean =>
  limit !== undefined && (limit === 0 || leased < limit)

/** Without removing it, in O(n). */
const firstOf = <T>(queue: Fifo<T>): T | undefined => queue.values().next().value

/**
 * First in, first out, and any item can be removed: each operation takes O(1). An item that is in the queue already keeps
 * its place when it is added.
 */
class Fifo<T> extends Set<T> {
  /** Stays at the first item. A new iterator would have to pass all that was removed before it. */
  private reader = this.values()

  /** Removes the first item. @returns undefined when there is none */
  shift(): T | undefined {
    let { value, done } = this.reader.next()
    if (done) {
      // It has reached the end before, and stays there.
      this.reader = this.values()
      value = this.reader.next().value
    }
    if (value !== undefined) this.delete(value)
    return value
  }
}
