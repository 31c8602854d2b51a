/**
 * What lists of read models have in common: they include what was answered before them.
 *
 * @module
 */
import type { Model } from '../read/read-models.ts'
import type { Deps } from './deps.ts'

/** After so many milliseconds a list is shown as it is: the contract's bound on how much it may lack. */
const LONGEST_MS = 1000

/**
 * Waits until a read model shows what was written before; not for longer than a client should wait for a list, and not
 * at all while the log is away, whose read models still answer.
 */
export async function caughtUp({ freshness, logger }: Deps, model: Model): Promise<void> {
  try {
    await freshness(model, LONGEST_MS)
  } catch (error) {
    logger.warn({ err: error, model: model.name }, 'a list is shown without knowing how new it is')
  }
}
