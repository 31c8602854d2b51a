/**
 * The slots of this worker's runs among those of all workers: an account's limit holds over all of them, and no two
 * race for one run. They only save lost races: the run's stream says who runs it.
 *
 * @module
 */
import type { AccountId, RunId } from '../../domain/ids.ts'
import type { RunSlot, RunSlots, SlotAnswer } from '../../ephemeral/ephemeral-store.ts'
import type { ClaimsDeps } from './claims.ts'

/** Longer than any worker that works hears of an end later, in milliseconds. */
const ENDED_MS = 60_000

export class WorkerSlots {
  private readonly leased = new Map<RunId, RunSlot>()
  private renewAt = 0

  /** @param leaseMs how long a run keeps its slot when its worker dies: as long as its lease, in milliseconds */
  constructor(
    private readonly deps: Pick<ClaimsDeps, 'logger' | 'now' | 'name'>,
    private readonly slots: RunSlots,
    private readonly leaseMs: number,
  ) {}

  /**
   * Acquires a slot.
   *
   * @param limit how many the account has over all workers; 0: any number
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
   * @param hasEnded whether the run has ended, so that nobody who has not heard of it tries to begin it
   */
  async release(run: RunId, hasEnded: boolean): Promise<void> {
    const slot = this.leased.get(run)
    if (!slot) return
    this.leased.delete(run)
    try {
      await this.slots.release(slot, hasEnded ? ENDED_MS : 0, this.deps.now())
    } catch (error) {
      // It ends by itself, after a lease at the latest.
      this.deps.logger.warn(
        { err: error, run_id: run },
        'The slot of a run could not be released. It expires with what would be its lease.',
      )
    }
  }

  /** To be called several times in a third of a lease. */
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
      // Others may take them meanwhile, which exceeds limits and harms no run; the next time brings them back.
      this.deps.logger.warn(
        { err: error, slots: slots.length },
        'The slots of running runs could not be renewed. Until the next try, other workers may exceed account limits.',
      )
    }
  }
}
