/**
 * Claims of runs: an append at the last known revision. With several workers, a run slot is acquired first.
 *
 * @module
 */
import { setTimeout } from '../../async/timers.ts'
import type { RunId } from '../../domain/ids.ts'
import type { RunState } from '../../domain/run.ts'
import { WrongExpectedRevision } from '../../log/event-log.ts'
import type { Executed, Loaded } from '../../log/execute.ts'
import { RunRefused } from '../../runs/commands.ts'
import type { WorkerDeps } from '../worker.ts'
import type { FairQueue } from './fair-queue.ts'
import { WorkerSlots } from './run-slots.ts'

/** A run to be claimed. */
export type Candidate = {
  readonly id: RunId
  /** the run's state; undefined when it must be read */
  readonly known: Loaded<RunState> | undefined
  /** a write that must succeed before the claim */
  readonly after: Promise<unknown> | undefined
  /** `after` is the run's own request */
  readonly isNew: boolean
}

export type ClaimsDeps = Pick<WorkerDeps, 'commands' | 'logger' | 'now' | 'name' | 'slots'>

/** The pause after a claim failed because a store was unavailable, in milliseconds. */
const STORE_PAUSE_MS = 500
/** How soon an occupied slot is tried again, in milliseconds. An event about the claim or the end arrives earlier. */
const AGAIN_MS = 500

export class Claims {
  /** undefined: this worker is the only one */
  readonly slots: WorkerSlots | undefined
  /** A store is unavailable: no run should be claimed for now. */
  isPaused = false

  /** @param onRoom called when runs may be ready to start again */
  constructor(
    private readonly deps: ClaimsDeps,
    private readonly leaseS: number,
    private readonly queue: FairQueue,
    private readonly onRoom: () => void,
  ) {
    this.slots = deps.slots && new WorkerSlots(deps, deps.slots, leaseS * 1000)
  }

  /** @returns undefined when the run could not be claimed; the queue has been updated accordingly */
  async claim(candidate: Candidate): Promise<Executed<RunState> | undefined> {
    const { id, after, isNew } = candidate
    if (!this.slots) return this.append(candidate)
    // The slot of an ending run is free once its end is written.
    if (!isNew) await after?.catch(() => undefined)
    if (!(await this.acquire(id, this.slots))) return undefined
    return this.append(isNew ? candidate : { ...candidate, after: undefined })
  }

  private async acquire(id: RunId, slots: WorkerSlots): Promise<boolean> {
    const { queue } = this
    const account = queue.accountOf(id)
    // It has ended, or the log was replaced.
    if (!account) return false
    const heard = queue.heard(id)
    try {
      const answer = await slots.acquire(id, account.id, account.limit)
      if (answer === 'granted') return true
      // The event of the other claim will arrive, or the slot belongs to a dead worker and expires soon after the
      // lease.
      if (answer === 'taken') this.wait(AGAIN_MS, () => queue.unclaimed(id, heard))
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

  private wait(ms: number, act: () => void): void {
    setTimeout(() => {
      act()
      this.onRoom()
    }, ms).unref()
  }

  private async append(candidate: Candidate): Promise<Executed<RunState> | undefined> {
    const { id, known, after, isNew } = candidate
    const { commands, now, name } = this.deps
    const at = now()
    const start = { type: 'start', now: at, leaseS: this.leaseS, worker: name } as const
    try {
      return await commands.execute(id, start, { causationId: name, now: at }, known, { after: [after] })
    } catch (error) {
      if (error instanceof RunRefused) return undefined
      if (after && error instanceof WrongExpectedRevision) {
        // Another process won the race for the write before this claim: an end, which is still to come, or a charge.
        if (!isNew) return this.append({ ...candidate, after: undefined })
        this.queue.putBack(id)
        return undefined
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
