/**
 * The slots of this worker's runs, shared with all workers: they enforce an account's limit across workers, and keep
 * two workers from racing for one run. They only avoid lost races. The run's stream decides who executes it.
 *
 * @module
 */
import type { AccountId, RunId } from '../../domain/ids.ts'
import type { RunSlot, RunSlots, SlotAnswer } from '../../ephemeral/ephemeral-store.ts'
import type { ClaimsDeps } from './claims.ts'

/** Longer than the delay until any working worker learns of a run's end, in milliseconds. */
const ENDED_MS = 60_000

export class WorkerSlots {
  private readonly leased = new Map<RunId, RunSlot>()
  private renewAt = 0

  /** @param leaseMs how long a run keeps its slot after its worker dies, in milliseconds: as long as its lease */
  constructor(
    private readonly deps: Pick<ClaimsDeps, 'logger' | 'now' | 'name'>,
    private readonly slots: RunSlots,
    private readonly leaseMs: number,
  ) {}

  /**
   * Acquires a slot.
   *
   * @param limit the account's number of slots across all workers; 0: any number
   * @throws {StoreUnavailable}
   */
  async acquire(run: RunId, account: AccountId, limit: number): Promise<SlotAnswer> {
    const { name: holder, now } = this.deps
    const slot = { run, account, holder }
    const answer = await this.slots.acquire(slot, limit, this.leaseMs, now())
    if (answer === 'granted') this.leased.set(run, slot)
    return answer
  }

  /**
   * Releases a run's slot; does nothing when it has none.
   *
   * @param hasEnded whether the run has ended. If so, the slot stays blocked for a while, so that workers which do not
   *   know of the end yet do not try to start the run
   */
  async release(run: RunId, hasEnded: boolean): Promise<void> {
    const slot = this.leased.get(run)
    if (!slot) return
    this.leased.delete(run)
    try {
      await this.slots.release(slot, hasEnded ? ENDED_MS : 0, this.deps.now())
    } catch (error) {
      // The slot expires by itself, after one lease at most.
      this.deps.logger.warn(
        { err: error, run_id: run },
        'The slot of a run could not be released. It expires after one lease at most.',
      )
    }
  }

  /** Renews all slots when due. Must be called several times per third of a lease. */
  tick(now: number): void {
    if (now < this.renewAt || this.leased.size === 0) return
    this.renewAt = now + this.leaseMs / 3
    void this.renew()
  }

  private async renew(): Promise<void> {
    const slots = [...this.leased.values()]
    try {
      await this.slots.renew(slots, this.leaseMs, this.deps.now())
    } catch (error) {
      // Other workers may take the slots in the meantime. This exceeds limits but harms no run. The next renewal
      // reclaims them.
      this.deps.logger.warn(
        { err: error, slots: slots.length },
        'The slots of running runs could not be renewed. Until the next try, other workers may exceed account limits.',
      )
    }
  }
}
