/**
 * The keys of read models in Redis. All versions of a model carry its name as hash tag: they lie on one node.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import type { Model } from '../read-models.ts'

/** Where a version of a model lies. */
export type Place = {
  /** the hash that says where each version stands: log, position, build, and when it was last moved */
  readonly standing: string
  /** its field there */
  readonly field: string
  readonly rows: string
  readonly entries: string
  readonly lists: string
}

const NAME = /^[a-z][a-z0-9_]*$/i

/** Where a model lies. What its lists are is part of the name: another shape under the same version begins anew. */
export function placeOf(model: Model): Place {
  const shape = createHash('sha256').update(JSON.stringify(model.indexes)).digest('hex').slice(0, 8)
  return placeAt(model.name, `${model.version}.${shape}${model.draft ? '.draft' : ''}`)
}

/**
 * Where a version lies, by its field.
 *
 * @throws {TypeError} for a name that can't be part of a key, which is a defect
 */
export function placeAt(name: string, field: string): Place {
  if (!NAME.test(name)) throw new TypeError(`no name: ${name}`)
  const tag = `gleaner:{${name}}`
  return {
    standing: `${tag}:standing`,
    field,
    rows: `${tag}:${field}:rows`,
    entries: `${tag}:${field}:entries`,
    lists: `${tag}:${field}:lists`,
  }
}

/** In the order that the scripts take them. */
export const keysOf = ({ standing, rows, entries, lists }: Place): string[] => [
  standing,
  rows,
  entries,
  lists,
]
