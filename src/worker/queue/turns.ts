/**
 * The turns of the accounts that have queued runs and may start one. While some sources may start no run, the runs of
 * other sources are found behind theirs: then sources take turns, and the accounts that wait for each source.
 *
 * @module
 */
import { Fifo } from './fifo.ts'
import type { SourceName } from './places.ts'
import type { Waiting, WaitingRuns } from './waiting-runs.ts'

type Account<R extends Waiting> = {
  readonly waiting: WaitingRuns<R>
  /** whether it may start a run, when {@link Turns.set} was last called */
  mayStart: boolean
}

/** Each operation takes as long as there are sources, however many accounts wait. */
export class Turns<R extends Waiting, A extends Account<R>> {
  /** in the order of their turns */
  private readonly accounts = new Fifo<A>()
  /** those of them that have a queued run of a source; the sources are in the order of their turns too */
  private readonly accountsOf = new Map<SourceName, Fifo<A>>()

  clear(): void {
    this.accounts.clear()
    this.accountsOf.clear()
  }

  /**
   * Queues an account for its turns, or removes it. A queued account keeps its places.
   *
   * @param mayStart whether it may start a run, if it has one of an admitted source
   * @param changed the sources of which its queued runs may have changed
   */
  set(account: A, mayStart: boolean, changed: readonly SourceName[] = []): void {
    const { waiting } = account
    const sources = mayStart === account.mayStart ? changed : waiting.sources()
    account.mayStart = mayStart
    place(this.accounts, account, mayStart && waiting.size > 0)
    for (const source of sources) {
      let accounts = this.accountsOf.get(source)
      if (!accounts) {
        accounts = new Fifo()
        this.accountsOf.set(source, accounts)
      }
      place(accounts, account, mayStart && waiting.firstOf(source) !== undefined)
    }
  }

  /**
   * The run whose turn it is. Its account loses its turn and its turn for the run's source: {@link set} queues it again,
   * after all others.
   *
   * @param admits whether a run of a source may start now
   */
  next(admits: (source: SourceName) => boolean): R | undefined {
    const account = this.accounts.first
    const run = account?.waiting.first()
    if (account && run && admits(run.source)) return this.endTurn(account, run)
    for (const [source, accounts] of this.accountsOf) {
      const [other, its] = [accounts.first, accounts.first?.waiting.firstOf(source)]
      if (!other || !its || !admits(source)) continue
      this.accountsOf.delete(source)
      this.accountsOf.set(source, accounts)
      return this.endTurn(other, its)
    }
    return undefined
  }

  private endTurn(account: A, run: R): R {
    this.accounts.delete(account)
    this.accountsOf.get(run.source)?.delete(account)
    return run
  }
}

function place<A>(accounts: Fifo<A>, account: A, isQueued: boolean): void {
  if (isQueued) accounts.add(account)
  else accounts.delete(account)
}
