/**
 * What the queue knows of runs and accounts.
 *
 * @module
 */
import type { AccountId, RunId } from '../domain/ids.ts'
import { Heap } from './heap.ts'

/** What is known of a run that is not over. */
export type Entry = {
  readonly id: RunId
  readonly account: Account
  /** position of its RunRequested: the order within its account; undefined until that was heard */
  created: number | undefined
  /** milliseconds since 1970: when it was requested */
  since: number
  /** of the run's stream, as last heard; -1 before its first event */
  revision: number
  /** `ending`: its end is being written, and its place is free */
  status: 'queued' | 'held' | 'ending'
  /** whether it lies in its account's heap; one that is queued no longer is thrown out when it comes up */
  inHeap: boolean
}

export type Account = {
  readonly id: AccountId
  readonly heap: Heap<Entry>
  queued: number
  held: number
  /** runs that may be held at once, 0: any number; undefined: not known yet, so none is given out */
  limit: number | undefined
  /** other workers have all of its places, for all that is known */
  full: boolean
  /** number of the turn in which it was last served; 0: not that anyone remembers */
  served: number
  offered: boolean
}

/** An account without runs. */
export const newAccount = (id: AccountId): Account => ({
  id,
  heap: new Heap((a, b) => (a.created ?? 0) < (b.created ?? 0)),
  queued: 0,
  held: 0,
  limit: undefined,
  full: false,
  served: 0,
  offered: false,
})

/** Whether the account may have one more run. */
export const hasRoom = ({ held, limit }: Account): boolean =>
  limit !== undefined && (limit === 0 || held < limit)
/** Whether a run of the account may be given out. */
export const mayServe = (account: Account): boolean => account.queued > 0 && hasRoom(account) && !account.full

/** The account's oldest queued run. */
export function front({ heap }: Account): Entry | undefined {
  for (;;) {
    const entry = heap.peek()
    if (!entry || entry.status === 'queued') return entry
    entry.inHeap = false
    heap.pop()
  }
}
