/**
 * Writes rows to read models like a projector.
 *
 * @module
 */
import { type Checkpoint, type Model, nextOf, type ReadModels, type Row } from '../../src/read/read-models.ts'

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
