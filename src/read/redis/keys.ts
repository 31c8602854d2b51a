/**
 * The keys of read models in Redis. All versions of a model carry its name as hash tag, so they are on one node.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import type { Model } from '../read-models.ts'

/** The keys of a model's generation. */
export type GenerationKeys = {
  /** the hash of the checkpoints: log, position, generation, and the time of the last move */
  readonly checkpoints: string
  /** the generation's field in that hash */
  readonly field: string
  readonly rows: string
  readonly entries: string
  readonly lists: string
}

/**
 * The keys of a model. Its indexes are part of the name: a model with other indexes and the same version is rebuilt.
 */
export function generationKeys(model: Model): GenerationKeys {
  const shape = createHash('sha256').update(JSON.stringify(model.indexes)).digest('hex').slice(0, 8)
  return generationKeysAt(model.name, `${model.version}.${shape}${model.next ? '.next' : ''}`)
}

/** The keys of a generation, by its field. */
export function generationKeysAt(name: string, field: string): GenerationKeys {
  const tag = `gleaner:{${name}}`
  return {
    checkpoints: `${tag}:standing`,
    field,
    rows: `${tag}:${field}:rows`,
    entries: `${tag}:${field}:entries`,
    lists: `${tag}:${field}:lists`,
  }
}

/** The keys in the order that the scripts expect. */
export const keysOf = ({ checkpoints, rows, entries, lists }: GenerationKeys): string[] => [
  checkpoints,
  rows,
  entries,
  lists,
]
