/**
 * Waiting for read models: for the few callers that must see all that was written before them.
 *
 * @module
 */
import { clock } from '../async/clock.ts'
import { delay } from '../async/delay.ts'
import { type EventLog, StoreUnavailable } from '../log/event-log.ts'
import type { Projector } from './projector.ts'
import { type Model, type ReadModels, reachedIn } from './read-models.ts'

/** The projector of this process, as far as its readers know it. */
type LocalProjector = Pick<Projector, 'waitFor' | 'checkpointOf'>

/**
 * Waits until one read model shows all that the log holds when it is called, however far the others are behind.
 * Resolves to false when time is up.
 */
export type WaitUntilProjected = (model: Model, timeoutMs?: number) => Promise<boolean>

/** Waits in the same way, for callers that can't go on without. @throws {StoreUnavailable} when time is up */
export async function requireProjected(
  { waitUntilProjected }: { readonly waitUntilProjected: WaitUntilProjected },
  model: Model,
): Promise<void> {
  if (await waitUntilProjected(model)) return
  throw new StoreUnavailable(`the read model "${model.name}" lags behind the log`)
}

/** Long enough for another projector to take over, short enough for a 503 within 2 seconds. */
const DEFAULT_MS = 1500
const LOOK_EVERY_MS = 10

/**
 * How to wait for read models.
 *
 * @param projector where it runs in this process; another process's is seen by its checkpoints
 */
export function waitingFor(
  log: EventLog,
  readModels: ReadModels,
  projector?: LocalProjector,
): WaitUntilProjected {
  return async (model, timeoutMs = DEFAULT_MS) => {
    const head = await log.head()
    if (head === null) return true
    const until = clock.monotonic() + timeoutMs
    if (projector && !(await projector.waitFor(model, head, timeoutMs))) return false
    // What the projector has written may be lost by now: it sees that a moment later.
    const least = projector ? projector.checkpointOf(model) : head
    for (;;) {
      if (reachedIn(log, await readModels.checkpoint(model)) >= least) return true
      if (clock.monotonic() >= until) return false
      await delay(LOOK_EVERY_MS)
    }
  }
}
