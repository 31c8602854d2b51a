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
import { Fifo } from './fifo.ts'

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
  /** whether its RunRequested was heard */
  requested: boolean
  /** milliseconds since 1970: when it was requested */
  since: number
  /** of the run's stream, as last heard; -1 before its first event */
  revision: number
  /** `ending`: its end is being written, and it no longer counts against its account's limit */
  status: 'queued' | 'held' | 'ending'
}

type Account = {
  readonly id: AccountId
  /** queued runs that were claimed before: they go first */
  readonly again: Fifo<Entry>
  /** queued runs that never were, in the order of their requests */
  readonly fresh: Fifo<Entry>
  held: number
  /** runs that may be held at once, 0: any number; undefined: not known yet, so none is given out */
  limit: number | undefined
  /** other workers run as many as its limit allows, as far as is known */
  full: boolean
}

/** Accounts without open runs whose limit is remembered. */
const REMEMBERED = 10_000

export class FairQueue {
  private readonly runs = new Map<RunId, Entry>()
  private readonly accounts = new Map<AccountId, Account>()
  /** accounts that have a queued run and may have it running, in the order of their turns */
  private readonly turns = new Fifo<Account>()
  private readonly idle = new Fifo<Account>()

  /** Forgets all runs and accounts. */
  clear(): void {
    for (const account of this.accounts.values()) {
      this.turns.delete(account)
      this.idle.delete(account)
    }
    this.runs.clear()
    this.accounts.clear()
  }

  /** How many runs wait. Looks at every account: for figures. */
  get size(): number {
    let size = 0
    for (const account of this.accounts.values()) size += waitingOf(account)
    return size
  }

  /**
   * When the run that has waited longest was requested, in milliseconds since 1970; undefined when none waits.
   * Looks at every account: for figures.
   */
  oldest(): number | undefined {
    let oldest: number | undefined
    for (const { again, fresh } of this.accounts.values())
      for (const since of [again.first?.since, fresh.first?.since])
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
    this.offer(known)
  }

  /**
   * A run was requested, and waits unless it is being claimed already. Runs of one account must come in the order of
   * their requests.
   *
   * @param since milliseconds since 1970: when it was requested
   */
  queued(news: RunNews, since: number): void {
    const { entry, isNew } = this.hear(news, since)
    if (!entry) return
    if (isNew || entry.requested) this.wait(entry, entry.account.fresh)
    entry.requested = true
    entry.since = since
  }

  /**
   * A run that was claimed is back in the queue.
   *
   * @param since as for {@link queued}; ignored for a run that is known already
   */
  requeued(news: RunNews, since: number): void {
    const { entry } = this.hear(news, since)
    if (!entry) return
    entry.requested = true
    this.wait(entry, entry.account.again)
  }

  /** A worker has the run. */
  held(news: RunNews): void {
    const { entry } = this.hear(news, 0)
    if (entry) this.set(entry, 'held')
  }

  /**
   * A run is being requested by this process, and may be claimed with its request when none of its account waits
   * before it.
   *
   * @param limit as for {@link limit}; undefined when it is not known
   * @returns whether it is given out, as by {@link next}
   */
  begin(id: RunId, accountId: AccountId, limit: number | undefined, since: number): boolean {
    if (this.runs.has(id)) return false
    const account = this.account(accountId)
    account.limit ??= limit
    const mayBegin = waitingOf(account) === 0 && hasRoom(account)
    if (mayBegin) this.set(this.add({ id, account: accountId, revision: -1 }, since), 'held')
    else this.rest(account)
    return mayBegin
  }

  /** The run's end is being written: another may take its place. */
  ending(id: RunId): void {
    const entry = this.runs.get(id)
    if (entry) this.set(entry, 'ending')
  }

  /** The run is over. */
  ended(id: RunId): void {
    const entry = this.runs.get(id)
    if (!entry) return
    this.runs.delete(id)
    entry.account.full = false
    this.set(entry, 'ending')
    this.rest(entry.account)
  }

  /** A run that was given out could not be started for now: it waits on, unless something was heard of it since. */
  putBack(id: RunId): void {
    const entry = this.runs.get(id)
    if (entry?.status !== 'held') return
    // If its request is not there yet it may never be: if it comes, the log will tell.
    if (entry.requested) this.wait(entry, entry.account.again)
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

  /** Nothing came of it, as far as nothing was heard of the run since: it waits on. */
  unclaimed(id: RunId, heard: number): void {
    if (this.runs.has(id) && this.heard(id) === heard) this.putBack(id)
  }

  /** Whether other workers run as many of an account's as it may: then it is skipped until one of its runs ends. */
  full(id: AccountId, isFull: boolean): void {
    const account = this.accounts.get(id)
    if (!account) return
    account.full = isFull
    this.offer(account)
  }

  /** A run's account and how many runs it may have running, 0: any number; undefined when they are not known. */
  accountOf(id: RunId): { readonly id: AccountId; readonly limit: number } | undefined {
    const account = this.runs.get(id)?.account
    return account?.limit === undefined ? undefined : { id: account.id, limit: account.limit }
  }

  /** The run to be started now, counted as held from here on; undefined when there is none. */
  next(): RunId | undefined {
    const account = this.turns.shift()
    const entry = account?.again.shift() ?? account?.fresh.shift()
    if (entry) this.set(entry, 'held')
    return entry?.id
  }

  /** Takes news in. No entry: they are old. */
  private hear(news: RunNews, since: number): { readonly entry?: Entry; readonly isNew: boolean } {
    const known = this.runs.get(news.id)
    if (!known) return { entry: this.add(news, since), isNew: true }
    if (news.revision <= known.revision) return { isNew: false }
    known.revision = news.revision
    return { entry: known, isNew: false }
  }

  /** @returns a run that neither waits nor is held yet */
  private add({ id, account, revision }: RunNews, since: number): Entry {
    const entry: Entry = {
      id,
      account: this.account(account),
      requested: revision >= 0,
      since,
      revision,
      status: 'ending',
    }
    this.runs.set(id, entry)
    return entry
  }

  private account(id: AccountId): Account {
    const known = this.accounts.get(id)
    if (known) return known
    const account: Account = {
      id,
      again: new Fifo(),
      fresh: new Fifo(),
      held: 0,
      limit: undefined,
      full: false,
    }
    this.accounts.set(id, account)
    return account
  }

  private wait(entry: Entry, line: Fifo<Entry>): void {
    this.set(entry, 'queued')
    line.add(entry)
    this.offer(entry.account)
  }

  private set(entry: Entry, status: Entry['status']): void {
    const { account } = entry
    account.again.delete(entry)
    account.fresh.delete(entry)
    if (entry.status === 'held') account.held--
    if (status === 'held') account.held++
    entry.status = status
    if (status !== 'ending') this.idle.delete(account)
    this.offer(account)
  }

  /** An account that has its turn to come keeps it. */
  private offer(account: Account): void {
    if (waitingOf(account) > 0 && hasRoom(account) && !account.full) this.turns.add(account)
    else this.turns.delete(account)
  }

  private rest(account: Account): void {
    if (waitingOf(account) + account.held > 0) return
    this.idle.add(account)
    const forgotten = this.idle.size > REMEMBERED ? this.idle.shift() : undefined
    if (forgotten) this.accounts.delete(forgotten.id)
  }
}

const waitingOf = ({ again, fresh }: Account): number => again.size + fresh.size
const hasRoom = ({ held, limit }: Account): boolean => limit !== undefined && (limit === 0 || held < limit)
