/**
 * Waits for read models, for the few callers that must see all earlier writes.
 *
 * @module
 */
import { clock } from '../async/clock.ts'
import { delay } from '../async/delay.ts'
import { type EventLog, StoreUnavailable } from '../log/event-log.ts'
import type { Projector } from './projector.ts'
import { type Model, type ReadModels, reachedIn } from './read-models.ts'

/** The part of this process's projector that readers use. */
type LocalProjector = Pick<Projector, 'waitFor' | 'checkpointOf'>

/**
 * Waits until one read model reflects the log's head at the time of the call, however far other models are behind.
 * Resolves to false after the timeout.
 */
export type WaitUntilProjected = (model: Model, timeoutMs?: number) => Promise<boolean>

/** Waits in the same way, for callers that can't continue without it. @throws {StoreUnavailable} after the timeout */
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
 * Creates the function that waits for read models.
 *
 * @param projector this process's projector, if it runs one; another process's progress is read from the checkpoints
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
    // The store may have lost the projector's rows since. The projector notices that only a moment later.
    const least = projector ? projector.checkpointOf(model) : head
    for (;;) {
      if (reachedIn(log, await readModels.checkpoint(model)) >= least) return true
      if (clock.monotonic() >= until) return false
      await delay(LOOK_EVERY_MS)
    }
  }
}
