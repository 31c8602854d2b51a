/**
 * Writes rows to read models like a projector, and waits for a projector.
 *
 * @module
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { EventLog } from '../../src/log/event-log.ts'
import type { Projector } from '../../src/read/projector.ts'
import {
  type Checkpoint,
  isFromLog,
  type Model,
  nextOf,
  type ReadModels,
  type Row,
} from '../../src/read/read-models.ts'

/** A position in a log. */
export type At = Pick<Checkpoint, 'logId' | 'position'>
export type Rows = Iterable<readonly [string, Row | null]>

/** Builds a next generation of a model from scratch and leaves it unpublished. */
export async function build(models: ReadModels, model: Model, to: At, rows: Rows = []): Promise<boolean> {
  const from = await models.begin(model, to.logId, true)
  return models.commit([{ model: nextOf(model), from, to: { ...from, ...to }, rows: new Map(rows) }])
}

/** Builds a next generation of a model from scratch and publishes it. */
export async function publish(models: ReadModels, model: Model, to: At, rows: Rows = []): Promise<boolean> {
  return (await build(models, model, to, rows)) && models.publish(model)
}

/** Commits rows from a model's checkpoint on. */
export async function goOn(models: ReadModels, model: Model, to: At, rows: Rows = []): Promise<boolean> {
  const from = await models.checkpoint(model)
  if (!from) throw new Error(`${model.name} has no generation to go on with`)
  return models.commit([{ model, from, to: { ...from, ...to }, rows: new Map(rows) }])
}

/** Resolves when readers of the models see every event that the log held at the call. Failing stores are asked again. */
export async function caughtUp(
  projector: Pick<Projector, 'catchUpNow'> | undefined,
  log: EventLog,
  models: ReadModels,
  of: readonly Model[],
): Promise<void> {
  const head = (await log.head()) ?? 0
  const shows = async (model: Model): Promise<boolean> => {
    const at = await models.checkpoint(model)
    return at !== null && at.position >= head && (await isFromLog(log, at))
  }
  for (const model of head === 0 ? [] : of) {
    while (!(await shows(model).catch(() => false))) {
      projector?.catchUpNow()
      await delay(2)
    }
  }
}
