/**
 * The port of live items: what runs have collected so far, while they work. It is not derived from the log, and may be
 * lost: the run's result has all items at its end.
 *
 * @module
 */
import type { AccountId, RunId } from '../../domain/ids.ts'
import type { RunItems } from './page.ts'
import { type ItemBatch, partOf, withCommas } from './parts.ts'

/** A run in one attempt. */
export type RunAttempt = {
  readonly runId: RunId
  readonly accountId: AccountId
  readonly attempt: number
}

/** What an attempt has collected so far. It grows, and is emptied when the run starts over. */
export type Collecting = {
  readonly batches: readonly ItemBatch[]
  /** the number of items */
  readonly count: number
}

/** Shares the items of an attempt with readers. */
export type SharedItems = {
  /** Hands over new items when that is due. Must be called several times a second. Never waits or throws. */
  tick(): void
  /** The attempt has ended: nothing of it is shown any more. Never throws. */
  stop(): void
}

export interface LiveItems {
  share(of: RunAttempt, collecting: Collecting): SharedItems
  /**
   * The items of an attempt so far, or the first ones of many.
   *
   * @returns undefined if none are known, or the store is unavailable
   */
  find(of: RunAttempt): Promise<RunItems | undefined>
}

/** Live items within one process: readers see what its worker holds, without a copy. */
export class LocalLiveItems implements LiveItems {
  private readonly shared = new Map<RunId, { readonly attempt: number; readonly collecting: Collecting }>()

  share({ runId, attempt }: RunAttempt, collecting: Collecting): SharedItems {
    const entry = { attempt, collecting }
    this.shared.set(runId, entry)
    return {
      tick() {},
      stop: () => {
        if (this.shared.get(runId) === entry) this.shared.delete(runId)
      },
    }
  }

  async find({ runId, attempt }: RunAttempt): Promise<RunItems | undefined> {
    const entry = this.shared.get(runId)
    if (entry?.attempt !== attempt) return undefined
    // The run may start over during a long read.
    const batches = [...entry.collecting.batches]
    return {
      parts: batches.map((batch) => partOf([batch])),
      read: async (from, to) => Buffer.concat(withCommas(batches.slice(from, to))),
      total: entry.collecting.count,
      isFinal: false,
    }
  }
}
