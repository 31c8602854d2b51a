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
/** The longest delay between two reads of the checkpoint, in milliseconds. */
const LONGEST_LOOK_MS = 16

/**
 * Creates the function that waits for read models.
 *
 * @param projector this process's projector, if it runs one. Projectors of other processes are asked through the read
 *   models, and their progress is read from the checkpoints
 */
export function waitingFor(
  log: EventLog,
  readModels: ReadModels,
  projector?: Pick<Projector, 'catchUpNow'>,
): WaitUntilProjected {
  return async (model, timeoutMs = DEFAULT_MS) => {
    const head = await log.head()
    if (head === null) return true
    const until = clock.monotonic() + timeoutMs
    for (let ms = 1; ; ms = Math.min(2 * ms, LONGEST_LOOK_MS)) {
      const at = await readModels.checkpoint(model)
      // Beyond the head it may be of a log that was restored from a backup: its rows are about to be replaced.
      if (at && reachedIn(log, at) >= head && (at.position === head || (await log.knows(at.position))))
        return true
      if (clock.monotonic() >= until) return false
      projector?.catchUpNow()
      readModels.requestCommit?.()
      await delay(ms)
    }
  }
}
