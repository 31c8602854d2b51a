/**
 * Which run is next. The account that was served longest ago comes first, its oldest run with it; an account at its
 * limit of running runs waits. So an account with 10,000 queued runs never holds up the first run of another.
 *
 * Pure: it is told what happened to runs, in any process, and asked what to do. Every operation takes O(log n).
 *
 * @module
 */
import type { AccountId, RunId } from '../domain/ids.ts'
import { Heap } from './heap.ts'
import { type Account, type Entry, front, hasRoom, mayServe, newAccount } from './queue-entries.ts'

/** Something that happened to a run: what became of it, and where in its stream. */
export type RunNews = {
  readonly id: RunId
  readonly account: AccountId
  readonly revision: number
}

/** Accounts without open runs whose turn is remembered. One that was forgotten was served long ago. */
const REMEMBERED = 10_000
/** A heap is cleaned when it holds so many more entries than it should. */
const SLACK = 1000

export class FairQueue {
  private readonly runs = new Map<RunId, Entry>()
  private readonly accounts = new Map<AccountId, Account>()
  private readonly idle = new Map<AccountId, Account>()
  /** accounts that may be served; one that can't be is thrown out when it comes up */
  private readonly ready = new Heap<Account>((a, b) => a.served < b.served)
  private turn = 0
  private waiting = 0

  /** How many runs wait. */
  get size(): number {
    return this.waiting
  }

  /**
   * When the run that has waited longest was requested, in milliseconds since 1970; undefined when none waits.
   * Takes a look at every account: for figures.
   */
  oldest(): number | undefined {
    let oldest: number | undefined
    for (const account of this.accounts.values()) {
      const entry = account.queued > 0 ? front(account) : undefined
      if (entry && (oldest === undefined || entry.since < oldest)) oldest = entry.since
    }
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
   * A run waits: it was requested, or is back in the queue.
   *
   * @param created position of its RunRequested; for a run that is known already it is not looked at
   * @param since milliseconds since 1970: when it was requested; likewise
   */
  queued(news: RunNews, created: number, since: number): void {
    const entry = this.entry(news, created, since)
    if (!entry) return
    if (entry.created === undefined) {
      // It is being claimed already.
      entry.created = created
      entry.since = since
      return
    }
    this.set(entry, 'queued')
    this.enter(entry)
  }

  /** A worker has the run. */
  held(news: RunNews): void {
    const entry = this.entry(news, 0, 0)
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
    const mayBegin = account.queued === 0 && hasRoom(account)
    if (mayBegin) {
      account.served = ++this.turn
      this.add({ id, account, created: undefined, since, revision: -1, status: 'held', inHeap: false })
    } else this.rest(account)
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
    const { account } = entry
    this.runs.delete(id)
    this.count(entry, -1)
    entry.status = 'held'
    account.full = false
    this.clean(account)
    this.offer(account)
    this.rest(account)
  }

  /** A run that was given out could not be started for now: it waits on, unless something was heard of it since. */
  putBack(id: RunId): void {
    const entry = this.runs.get(id)
    if (entry?.status !== 'held') return
    if (entry.created === undefined) {
      // Its request is not there yet, and may never be: if it comes, the log will tell.
      this.ended(id)
      return
    }
    this.set(entry, 'queued')
    this.enter(entry)
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

  /** Whether other workers have all places of an account: then it is left alone until one of its runs ends. */
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

  /**
   * The run to be started now, counted as held from here on; undefined when there is none.
   *
   * @param mayBegin whether there is room for the run that is next; otherwise none is given out. Default: always
   */
  next(mayBegin: (id: RunId) => boolean = () => true): RunId | undefined {
    for (;;) {
      const account = this.ready.peek()
      if (!account) return undefined
      const entry = mayServe(account) ? front(account) : undefined
      if (entry && !mayBegin(entry.id)) return undefined
      this.ready.pop()
      account.offered = false
      if (!entry) continue
      account.heap.pop()
      entry.inHeap = false
      account.served = ++this.turn
      this.set(entry, 'held')
      this.offer(account)
      return entry.id
    }
  }

  /** The run's entry, made when it is not known; undefined when the news is old. */
  private entry({ id, account, revision }: RunNews, created: number, since: number): Entry | undefined {
    const known = this.runs.get(id)
    if (known) {
      if (revision <= known.revision) return undefined
      known.revision = revision
      return known
    }
    return this.add({
      id,
      account: this.account(account),
      created,
      since,
      revision,
      status: 'held',
      inHeap: false,
    })
  }

  private add(entry: Entry): Entry {
    this.runs.set(entry.id, entry)
    this.count(entry, 1)
    return entry
  }

  private account(id: AccountId): Account {
    const known = this.accounts.get(id)
    this.idle.delete(id)
    if (known) return known
    const account = newAccount(id)
    this.accounts.set(id, account)
    return account
  }

  private set(entry: Entry, status: Entry['status']): void {
    if (entry.status === status) return
    this.count(entry, -1)
    entry.status = status
    this.count(entry, 1)
    this.offer(entry.account)
  }

  private count({ account, status }: Entry, by: 1 | -1): void {
    if (status === 'held') account.held += by
    else if (status === 'queued') {
      account.queued += by
      this.waiting += by
    }
  }

  private enter(entry: Entry): void {
    if (!entry.inHeap) {
      entry.inHeap = true
      entry.account.heap.push(entry)
    }
    this.offer(entry.account)
  }

  private offer(account: Account): void {
    if (account.offered || !mayServe(account)) return
    account.offered = true
    this.ready.push(account)
  }

  /** Runs that other workers took lie in the heap until they come up, which may be never. */
  private clean({ heap, queued }: Account): void {
    if (heap.size > 2 * queued + (queued === 0 ? 0 : SLACK)) {
      heap.keep((entry) => {
        entry.inHeap = entry.status === 'queued'
        return entry.inHeap
      })
    }
  }

  private rest(account: Account): void {
    if (account.queued + account.held > 0) return
    this.idle.set(account.id, account)
    if (this.idle.size <= REMEMBERED) return
    for (const id of this.idle.keys()) {
      this.idle.delete(id)
      this.accounts.delete(id)
      return
    }
  }
}
