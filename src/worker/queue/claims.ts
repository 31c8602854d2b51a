/**
 * Claiming runs: an append at the revision last heard, and, where there are several workers, a place before it.
 *
 * @module
 */
import type { RunId } from '../../domain/ids.ts'
import type { RunState } from '../../domain/run.ts'
import { WrongExpectedRevision } from '../../log/event-log.ts'
import type { Executed, Loaded } from '../../log/execute.ts'
import type { Logger } from '../../logger.ts'
import { type RunCommands, RunRefused } from '../../runs/commands.ts'
import type { FairQueue } from './queue.ts'
import { type RunSlotsDeps, WorkerSlots } from './run-slots.ts'

/** A run to be claimed. */
export type Offer = {
  readonly id: RunId
  /** undefined when it must be read */
  readonly known: Loaded<RunState> | undefined
  /** the write without which it must not be claimed */
  readonly after: Promise<unknown> | undefined
  /** `after` is its request */
  readonly isNew: boolean
}

export type ClaimsDeps = {
  readonly commands: RunCommands
  readonly logger: Logger
  /** milliseconds since 1970 */
  readonly now: () => number
  /** which worker it is */
  readonly name: string
  /** where the workers of several processes share run slots; undefined: this worker is the only one */
  readonly slots?: RunSlotsDeps['slots'] | undefined
}

/** After a claim that a store did not let happen, in milliseconds. */
const STORE_PAUSE_MS = 500
/** How soon an account is looked at again whose slots others have, in milliseconds: an end is heard earlier. */
const FULL_MS = 500

export class Claims {
  private readonly slots: WorkerSlots | undefined
  private paused: ReturnType<typeof setTimeout> | undefined
  /** runs and accounts that are left alone for a while */
  private readonly rests = new Set<ReturnType<typeof setTimeout>>()

  /** @param onRoom told when there may be something to take again */
  constructor(
    private readonly deps: ClaimsDeps,
    private readonly leaseS: number,
    private readonly queue: FairQueue,
    private readonly onRoom: () => void,
  ) {
    const { slots, logger, now, name } = deps
    this.slots = slots && new WorkerSlots({ slots, logger, now, holder: name }, leaseS * 1000)
  }

  /** A store is away: nothing should be claimed for now. */
  get isPaused(): boolean {
    return this.paused !== undefined
  }

  /** @returns undefined when the run is not to be had; the queue knows what becomes of it */
  async claim(offer: Offer): Promise<Executed<RunState> | undefined> {
    const { id, after, isNew } = offer
    if (!this.slots) return this.append(offer)
    // The slot of a run that ends is free when its end is there.
    if (!isNew) await after?.catch(() => undefined)
    if (!(await this.acquire(id, this.slots))) return undefined
    return this.append(isNew ? offer : { ...offer, after: undefined })
  }

  /** A run of this worker has ended. */
  ended(id: RunId): void {
    void this.slots?.release(id, true)
  }

  /** A run is none of this worker's any more; nothing when it has ended. */
  letGo(id: RunId): void {
    void this.slots?.release(id, false)
  }

  /** To be called several times in a third of a lease. */
  tick(now: number): void {
    this.slots?.tick(now)
  }

  stop(): void {
    clearTimeout(this.paused)
    for (const timer of this.rests) clearTimeout(timer)
  }

  private async acquire(id: RunId, slots: WorkerSlots): Promise<boolean> {
    const { queue } = this
    const account = queue.accountOf(id)
    if (!account) {
      queue.putBack(id)
      return false
    }
    const heard = queue.heard(id)
    try {
      const answer = await slots.acquire(id, account.id, account.limit)
      if (answer === 'granted') return true
      // Its claim will be heard; after a worker that died before it, the slot ends with what would be its lease.
      if (answer === 'taken') this.rest(slots.leaseMs, () => queue.unclaimed(id, heard))
      else {
        queue.full(account.id, true)
        queue.putBack(id)
        this.rest(FULL_MS, () => queue.full(account.id, false))
      }
    } catch (error) {
      this.later(id, error)
    }
    return false
  }

  private rest(ms: number, over: () => void): void {
    const timer = setTimeout(() => {
      this.rests.delete(timer)
      over()
      this.onRoom()
    }, ms)
    this.rests.add(timer)
  }

  private async append(offer: Offer): Promise<Executed<RunState> | undefined> {
    const { id, known, after, isNew } = offer
    const { commands, now, name } = this.deps
    const at = now()
    const start = { type: 'start', now: at, leaseS: this.leaseS, worker: name } as const
    try {
      return await commands.give(id, start, { causationId: name, now: at }, known, { after: [after] })
    } catch (error) {
      if (error instanceof RunRefused) return undefined
      if (after && error instanceof WrongExpectedRevision) {
        // Another process was faster with what this was to come after: an end, which comes later, or a charge.
        if (!isNew) return this.append({ ...offer, after: undefined })
        this.queue.putBack(id)
        return undefined
      }
      this.later(id, error)
      return undefined
    }
  }

  /** A store is away: nothing is claimed for a moment. */
  private later(id: RunId, error: unknown): void {
    this.deps.logger.warn({ err: error, run_id: id }, 'a run could not be claimed yet')
    this.queue.putBack(id)
    this.paused ??= setTimeout(() => {
      this.paused = undefined
      this.onRoom()
    }, STORE_PAUSE_MS)
  }
}
