/**
 * Read models in memory, as in Redis: rows are JSON, a commit of several models is one commit for each, and all data
 * may be lost at any time.
 *
 * @module
 */
import type { Position } from '../../../src/log/event-log.ts'
import {
  type Changes,
  type Checkpoint,
  indexFields,
  isSame,
  type ListQuery,
  type Model,
  nextOf,
  type ReadModels,
  type Row,
} from '../../../src/read/read-models.ts'
import { copyOf, type Kept, keep } from './kept.ts'
import { byValue } from './order.ts'

type Generation = { checkpoint: Checkpoint; readonly rows: Map<string, Kept<Row>> }

/** The rows of a model, by their keys, and their checkpoint in the log. */
export type DumpedModel = { readonly checkpoint: Checkpoint; readonly rows: Readonly<Record<string, Row>> }

export class MemoryReadModels implements ReadModels {
  private readonly generations = new Map<string, Generation>()
  /** survives a loss of all rows, because the number of a generation is used only once */
  private begun = 0

  async checkpoint(model: Model): Promise<Checkpoint | null> {
    return this.of(model)?.checkpoint ?? null
  }

  async get<R extends Row>(model: Model<R>, key: string): Promise<R | undefined> {
    const row = this.of(model)?.rows.get(key) as Kept<R> | undefined
    return row && copyOf(row)
  }

  async getMany<R extends Row>(model: Model<R>, keys: readonly string[]): Promise<(R | undefined)[]> {
    const rows = this.of(model)?.rows as Map<string, Kept<R>> | undefined
    return keys.map((key) => {
      const row = rows?.get(key)
      return row && copyOf(row)
    })
  }

  async list<R extends Row>(model: Model<R>, index: string, query: ListQuery): Promise<R[]> {
    const fields = indexFields(model, index, query)
    const field = fields.at(-1) ?? ''
    const { equals, after, upTo, limit } = query
    const down = query.order === 'descending'
    const matches: { readonly key: string; readonly last: string | number; readonly row: Kept<R> }[] = []
    for (const [key, row] of (this.of(model)?.rows ?? []) as Iterable<[string, Kept<R>]>) {
      const last = row.value[field] as string | number | null | undefined
      if (last === null || last === undefined) continue
      if (!equals.every((value, i) => row.value[fields[i] ?? ''] === value)) continue
      if (upTo !== undefined && byValue(last, upTo) > 0) continue
      if (after !== undefined && (down ? byValue(last, after) >= 0 : byValue(last, after) <= 0)) continue
      matches.push({ key, last, row })
    }
    matches.sort((a, b) => (byValue(a.last, b.last) || byValue(a.key, b.key)) * (down ? -1 : 1))
    return matches.slice(0, limit).map(({ row }) => copyOf(row))
  }

  async count(model: Model, index: string, query: ListQuery): Promise<number> {
    return (await this.list(model, index, query)).length
  }

  async begin(model: Model, logId: string, anew = false): Promise<Checkpoint> {
    const next = nextOf(model)
    const there = this.of(next)
    if (there && !anew && there.checkpoint.logId === logId) return there.checkpoint
    const checkpoint = { logId, position: 0 as Position, generation: ++this.begun }
    this.generations.set(nameOf(next), { checkpoint, rows: new Map() })
    return checkpoint
  }

  async commit(changes: readonly Changes[], before?: Promise<boolean>): Promise<boolean> {
    if (before && !(await before)) return false
    const kept = changes.map(({ model, rows }) =>
      [...rows].map(([key, row]) => [key, row && keep(listable(model, row))] as const),
    )
    let all = true
    for (const [i, { model, from, to }] of changes.entries()) {
      const generation = this.of(model)
      if (!generation || !isSame(generation.checkpoint, from)) {
        all = false
        continue
      }
      generation.checkpoint = { ...to }
      for (const [key, row] of kept[i] ?? []) {
        if (row) generation.rows.set(key, row)
        else generation.rows.delete(key)
      }
    }
    return all
  }

  async publish(model: Model, anyway = false): Promise<boolean> {
    const [current, next] = [this.of(model)?.checkpoint, this.of(nextOf(model))]
    if (!next) return true
    const { logId, position } = next.checkpoint
    if (!anyway && current && current.logId === logId && current.position > position) return false
    this.generations.set(nameOf(model), next)
    this.generations.delete(nameOf(nextOf(model)))
    return true
  }

  async close(): Promise<void> {}

  /** Loses all data, like an emptied Redis. */
  clear(): void {
    this.generations.clear()
  }

  /** The published generation of each model, by its name and version, such as `runs.3`. */
  dump(): Record<string, DumpedModel> {
    const dumped: Record<string, DumpedModel> = {}
    for (const [name, { checkpoint, rows }] of this.generations) {
      const [model = '', isNext] = name.split(' ')
      if (isNext === 'next') continue
      const entries = [...rows].map(([key, { value }]) => [key, value] as const)
      dumped[model] = { checkpoint, rows: Object.fromEntries(entries) }
    }
    return dumped
  }

  private of(model: Model): Generation | undefined {
    return this.generations.get(nameOf(model))
  }
}

/** Includes the indexes of the model, so a changed shape under the same version is rebuilt. */
const nameOf = ({ name, version, next, indexes }: Model): string =>
  `${name}.${version} ${next ? 'next' : 'current'} ${textOf(indexes)}`

/** A cache by the index object, which a model and its next generation share, because every call needs it. */
const texts = new WeakMap<object, string>()
function textOf(indexes: Model['indexes']): string {
  const text = texts.get(indexes) ?? JSON.stringify(indexes)
  texts.set(indexes, text)
  return text
}

/** @throws {TypeError} for a row that cannot be listed, which is a defect of its projection */
function listable(model: Model, row: Row): Row {
  for (const field of Object.values(model.indexes).flat())
    if (!['number', 'string', 'undefined'].includes(typeof (row[field] ?? undefined)))
      throw new TypeError(`${model.name}.${field} is indexed and holds neither a number nor a text`)
  return row
}
