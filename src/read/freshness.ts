/**
 * Waiting for read models: for the few callers that must see all that was written before them.
 *
 * @module
 */
import type { EventLog, Position } from '../log/event-log.ts'
import type { Model, ReadModels } from './read-models.ts'

/** The projector of this process, as far as its readers know it. */
export type Follower = {
  /** @returns false when the model does not show the log up to the position within so many milliseconds */
  waitFor(model: Model, position: Position, timeoutMs: number): Promise<boolean>
  /** where it has seen a model stand; null: nowhere */
  stood(model: Model): Position | null
}

/**
 * Waits until one read model shows all that the log holds when it is called, however far the others are behind.
 * Resolves to false when time is up.
 */
export type Freshness = (model: Model, timeoutMs?: number) => Promise<boolean>

/** Long enough for another projector to take over, short enough for a 503 within 2 seconds. */
const DEFAULT_MS = 1500
const LOOK_EVERY_MS = 10

/**
 * How to wait for read models.
 *
 * @param follower the projector, where it runs in this process; another process's is seen by its stored positions
 */
export function freshnessOf(log: EventLog, readModels: ReadModels, follower?: Follower): Freshness {
  return async (model, timeoutMs = DEFAULT_MS) => {
    const head = await log.head()
    if (head === null) return true
    const until = performance.now() + timeoutMs
    if (follower && !(await follower.waitFor(model, head, timeoutMs))) return false
    // What the projector has written may be lost by now: it sees that a moment later.
    const least = follower ? follower.stood(model) : head
    for (;;) {
      if (least === null) return true
      const stands = await readModels.position(model)
      if (stands && stands.logId === log.id && stands.position >= least) return true
      if (performance.now() >= until) return false
      await new Promise((go) => setTimeout(go, LOOK_EVERY_MS))
    }
  }
}
