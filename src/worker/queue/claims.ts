/**
 * Claims of runs: an append at the last known revision.
 *
 * With several workers, a run slot is acquired first. Slots enforce an account's limit across workers, and keep two
 * workers from racing for one run. They only avoid lost races. The run's stream decides who executes it.
 *
 * @module
 */
import { setTimeout } from '../../async/timers.ts'
import type { RunId } from '../../domain/ids.ts'
import type { RunState } from '../../domain/run.ts'
import type { RunSlot, RunSlots } from '../../ephemeral/ephemeral-store.ts'
import { WrongExpectedRevision } from '../../log/event-log.ts'
import type { Executed, Loaded } from '../../log/execute.ts'
import { Refused } from '../../log/refused.ts'
import type { Logger } from '../../logger.ts'
import type { RunCommands } from '../../runs/commands.ts'
import type { FairQueue } from './fair-queue.ts'

/** A run to be claimed. */
export type Candidate = {
  readonly id: RunId
  /** the run's state; undefined when it must be read */
  readonly known: Loaded<RunState> | undefined
  /** the end of another run, which makes room */
  readonly after: Promise<unknown> | undefined
}

export type ClaimsDeps = {
  readonly commands: Pick<RunCommands, 'handle'>
  readonly logger: Logger
  /** the worker's name, for the events of its claims */
  readonly name: string
  /** shared by the workers of several processes; undefined: this worker is the only one */
  readonly slots?: RunSlots | undefined
  /** milliseconds since 1970 */
  readonly now: () => number
}

/** The pause after a claim failed because a store was unavailable, in milliseconds. */
const STORE_PAUSE_MS = 500
/** How soon an occupied slot is tried again, in milliseconds. An event about the claim or the end arrives earlier. */
const AGAIN_MS = 500
/** Longer than the delay until any working worker learns of a run's end, in milliseconds. */
const ENDED_MS = 60_000

export class Claims {
  /** A store is unavailable: no run should be claimed for now. */
  isPaused = false
  /** the slots of this worker's runs; none if it is the only worker */
  private readonly slots = new Map<RunId, RunSlot>()
  private renewAt = 0

  /** @param onRoom called when runs may be ready to start again */
  constructor(
    private readonly deps: ClaimsDeps,
    private readonly leaseS: number,
    private readonly queue: FairQueue,
    private readonly onRoom: () => void,
  ) {}

  /** @returns undefined when the run could not be claimed; the queue has been updated accordingly */
  async claim(candidate: Candidate): Promise<Executed<RunState> | undefined> {
    const { id, after } = candidate
    const { slots } = this.deps
    if (!slots) return this.append(candidate)
    // The slot of an ending run is free once its end is written. If that fails, the run keeps its place.
    if (after && !(await succeeded(after))) {
      this.queue.putBack(id)
      return undefined
    }
    if (!(await this.acquire(id, slots))) return undefined
    return this.append({ ...candidate, after: undefined })
  }

  private async acquire(id: RunId, slots: RunSlots): Promise<boolean> {
    const { queue } = this
    const { name: holder, now } = this.deps
    const account = queue.accountOf(id)
    // It has ended, or the log was replaced.
    if (!account) return false
    const revision = queue.revisionOf(id)
    try {
      const slot = { run: id, account: account.id, holder }
      // A run keeps its slot as long as its lease, even if its worker dies.
      const answer = await slots.acquire(slot, account.limit, this.leaseS * 1000, now())
      if (answer === 'granted') {
        this.slots.set(id, slot)
        return true
      }
      // The event of the other claim will arrive, or the slot belongs to a dead worker and expires soon after the
      // lease.
      if (answer === 'taken') this.wait(AGAIN_MS, () => queue.unclaimed(id, revision))
      else {
        queue.full(account.id, true)
        queue.putBack(id)
        this.wait(AGAIN_MS, () => queue.full(account.id, false))
      }
    } catch (error) {
      this.pause(id, error)
    }
    return false
  }

  /**
   * Releases a run's slot; does nothing when it has none.
   *
   * @param hasEnded whether the run has ended. If so, the slot stays blocked for a while, so that workers which do not
   *   know of the end yet do not try to start the run
   */
  async release(id: RunId, hasEnded: boolean): Promise<void> {
    const { slots, now, logger } = this.deps
    const slot = this.slots.get(id)
    if (!slot) return
    this.slots.delete(id)
    try {
      await slots?.release(slot, hasEnded ? ENDED_MS : 0, now())
    } catch (err) {
      logger.warn(
        { err, run_id: id },
        'The slot of a run could not be released. It expires after one lease at most.',
      )
    }
  }

  /** Renews all slots when due. Must be called several times per third of a lease. */
  tick(now: number): void {
    const third = (this.leaseS * 1000) / 3
    // Before the last renewal: the system's clock was set back, but the slots expire by the store's clock.
    const isEarly = now < this.renewAt && now >= this.renewAt - third
    if (isEarly || this.slots.size === 0) return
    this.renewAt = now + third
    void this.renew(now)
  }

  private async renew(now: number): Promise<void> {
    const { slots, logger } = this.deps
    try {
      await slots?.renew([...this.slots.values()], this.leaseS * 1000, now)
    } catch (err) {
      // Other workers may take the slots in the meantime. This exceeds limits but harms no run. The next renewal
      // reclaims them.
      logger.warn(
        { err, slots: this.slots.size },
        'The slots of running runs could not be renewed. Until the next try, other workers may exceed account limits.',
      )
    }
  }

  private wait(ms: number, act: () => void): void {
    setTimeout(() => {
      act()
      this.onRoom()
    }, ms).unref()
  }

  private async append(candidate: Candidate): Promise<Executed<RunState> | undefined> {
    const { id, known, after } = candidate
    const { commands, now, name } = this.deps
    const at = now()
    const start = { type: 'start', now: at, leaseS: this.leaseS, worker: name } as const
    try {
      return await commands.handle(id, start, { causationId: name, now: at }, known, { after: [after] })
    } catch (error) {
      if (error instanceof Refused) return undefined
      if (after && error instanceof WrongExpectedRevision) {
        // Another process was faster to write to the run that ends. Its end is still to come.
        return this.append({ ...candidate, after: undefined })
      }
      this.pause(id, error)
      return undefined
    }
  }

  /** A store is unavailable: pauses all claims for a moment. */
  private pause(id: RunId, err: unknown): void {
    this.deps.logger.warn(
      { err, run_id: id },
      'A run could not be claimed. It stays queued, and the claim is retried.',
    )
    this.queue.putBack(id)
    if (this.isPaused) return
    this.isPaused = true
    this.wait(STORE_PAUSE_MS, () => {
      this.isPaused = false
    })
  }
}

const succeeded = (write: Promise<unknown>): Promise<boolean> =>
  write.then(
    () => true,
    () => false,
  )
