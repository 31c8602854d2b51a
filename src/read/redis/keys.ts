/**
 * The keys of read models in Redis. All versions of a model carry its name as hash tag, so they are on one node.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import type { Model } from '../read-models.ts'

/**
 * The keys of a model. Its indexes are part of the name: a model with other indexes and the same version is rebuilt.
 */
export function generationKeys(model: Model) {
  const shape = createHash('sha256').update(JSON.stringify(model.indexes)).digest('hex').slice(0, 8)
  return generationKeysAt(model.name, `${model.version}.${shape}${model.next ? '.next' : ''}`)
}

/** The keys of a generation, by its field in the hash of the checkpoints. */
export function generationKeysAt(name: string, field: string) {
  const tag = `gleaner:{${name}}`
  /** log, position, generation, and the time of the last move */
  const checkpoints = `${tag}:standing`
  const rows = `${tag}:${field}:rows`
  const entries = `${tag}:${field}:entries`
  const lists = `${tag}:${field}:lists`
  /** in the order that the scripts expect */
  const all = [checkpoints, rows, entries, lists]
  return { field, checkpoints, rows, entries, lists, all }
}
