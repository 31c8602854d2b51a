/**
 * Places of running runs in memory, for one process.
 *
 * @module
 */
import type { AccountId, RunId } from '../../domain/ids.ts'
import type { HeldPlace, Place } from '../ephemeral-store.ts'

type Held = { readonly holder: string; readonly until: number }

export class Places {
  private readonly accounts = new Map<AccountId, Map<RunId, Held>>()
  /** until when runs are known to have ended, in milliseconds since 1970, the oldest first */
  private readonly ended = new Map<RunId, number>()

  /** As {@link Volatile.occupy}; `now` and the end of a place in milliseconds since 1970. */
  occupy({ run, account, holder }: HeldPlace, limit: number, forMs: number, now: number): Place {
    const places = this.current(account, now)
    const held = places.get(run)
    if ((held && held.holder !== holder) || (this.ended.get(run) ?? 0) > now) return 'taken'
    if (!held && limit > 0 && places.size >= limit) return 'full'
    places.set(run, { holder, until: now + forMs })
    this.accounts.set(account, places)
    return 'granted'
  }

  keep(kept: readonly HeldPlace[], forMs: number, now: number): void {
    for (const place of kept) this.occupy(place, 0, forMs, now)
  }

  vacate({ run, account, holder }: HeldPlace, endedForMs: number, now: number): void {
    if (endedForMs > 0) this.ended.set(run, now + endedForMs)
    for (const [old, until] of this.ended) {
      if (until > now) break
      this.ended.delete(old)
    }
    const places = this.accounts.get(account)
    if (places?.get(run)?.holder !== holder) return
    places.delete(run)
    if (places.size === 0) this.accounts.delete(account)
  }

  /** An account's places without those that have ended. */
  private current(account: AccountId, now: number): Map<RunId, Held> {
    const places = this.accounts.get(account) ?? new Map<RunId, Held>()
    for (const [run, { until }] of places) if (until <= now) places.delete(run)
    return places
  }
}
