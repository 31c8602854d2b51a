/**
 * Slots of running runs in memory, shared by the workers of a test.
 *
 * @module
 */
import type { AccountId, RunId } from '../../src/domain/ids.ts'
import type { RunSlot, RunSlots, SlotAnswer } from '../../src/ephemeral/ephemeral-store.ts'

type Lease = { readonly holder: string; readonly until: number }

export class SlotsInMemory implements RunSlots {
  private readonly accounts = new Map<AccountId, Map<RunId, Lease>>()
  /** until when to remember that runs have ended, in milliseconds since 1970, the oldest first */
  private readonly ended = new Map<RunId, number>()

  /** Like {@link RunSlots.acquire}; `now` and the end of a slot in milliseconds since 1970. */
  acquire({ run, account, holder }: RunSlot, limit: number, forMs: number, now: number): SlotAnswer {
    const slots = this.current(account, now)
    const lease = slots.get(run)
    if ((lease && lease.holder !== holder) || (this.ended.get(run) ?? 0) > now) return 'taken'
    if (!lease && limit > 0 && slots.size >= limit) return 'full'
    slots.set(run, { holder, until: now + forMs })
    this.accounts.set(account, slots)
    return 'granted'
  }

  /** Like in Redis, a late renewal of an ended run takes a slot until it expires. */
  renew(kept: readonly RunSlot[], forMs: number, now: number): void {
    for (const { run, account, holder } of kept) {
      const slots = this.current(account, now)
      if ((slots.get(run)?.holder ?? holder) !== holder) continue
      slots.set(run, { holder, until: now + forMs })
      this.accounts.set(account, slots)
    }
  }

  release({ run, account, holder }: RunSlot, endedForMs: number, now: number): void {
    if (endedForMs > 0) this.ended.set(run, now + endedForMs)
    for (const [old, until] of this.ended) {
      if (until > now) break
      this.ended.delete(old)
    }
    const slots = this.accounts.get(account)
    if (slots?.get(run)?.holder !== holder) return
    slots.delete(run)
    if (slots.size === 0) this.accounts.delete(account)
  }

  /** An account's slots without the expired ones. */
  private current(account: AccountId, now: number): Map<RunId, Lease> {
    const slots = this.accounts.get(account) ?? new Map<RunId, Lease>()
    for (const [run, { until }] of slots) if (until <= now) slots.delete(run)
    return slots
  }
}
