/**
 * What lists of read models have in common: they include what was answered before them.
 *
 * @module
 */
import { StoreUnavailable } from '../log/event-log.ts'
import type { Model } from '../read/read-models.ts'
import type { Deps } from './deps.ts'

/**
 * Waits until a read model shows what was written before. A model that lacks some of it for longer would make a list
 * that hides what its reader was told of. While the log is away nobody knows what is lacking, and lists are shown as
 * they are.
 *
 * @throws {StoreUnavailable} when the model does not show it in time
 */
export async function caughtUp({ freshness, logger }: Deps, model: Model): Promise<void> {
  try {
    if (await freshness(model)) return
  } catch (error) {
    logger.warn({ err: error, model: model.name }, 'a list is shown without knowing how new it is')
    return
  }
  throw new StoreUnavailable(`the read model "${model.name}" lags behind the log`)
}
