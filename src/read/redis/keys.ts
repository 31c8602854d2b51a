/**
 * The keys of read models in Redis. All versions of a model carry its name as hash tag: they lie on one node.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import type { Model } from '../read-models.ts'

/** Where a generation of a model lies. */
export type GenerationKeys = {
  /** the hash of the checkpoints: log, position, generation, and when it was last moved */
  readonly checkpoints: string
  /** its field there */
  readonly field: string
  readonly rows: string
  readonly entries: string
  readonly lists: string
}

const NAME = /^[a-z][a-z0-9_]*$/i

/** Where a model lies. What its lists are is part of the name: another shape under the same version is built anew. */
export function generationKeys(model: Model): GenerationKeys {
  const shape = createHash('sha256').update(JSON.stringify(model.indexes)).digest('hex').slice(0, 8)
  return generationKeysAt(model.name, `${model.version}.${shape}${model.next ? '.next' : ''}`)
}

/**
 * Where a generation lies, by its field.
 *
 * @throws {TypeError} for a name that can't be part of a key, which is a defect
 */
export function generationKeysAt(name: string, field: string): GenerationKeys {
  if (!NAME.test(name)) throw new TypeError(`no name: ${name}`)
  const tag = `gleaner:{${name}}`
  return {
    checkpoints: `${tag}:standing`,
    field,
    rows: `${tag}:${field}:rows`,
    entries: `${tag}:${field}:entries`,
    lists: `${tag}:${field}:lists`,
  }
}

/** In the order that the scripts take them. */
export const keysOf = ({ checkpoints, rows, entries, lists }: GenerationKeys): string[] => [
  checkpoints,
  rows,
  entries,
  lists,
]
