/**
 * What changed between the items of two runs with the same input.
 *
 * @module
 */
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { count } from '../../src/cli/columns.ts'
import { printable } from '../dry-run/table.ts'
import { sharesOf } from '../repair/fill.ts'
import type { Item } from '../repair/replay.ts'
import { percent } from '../shape/words.ts'

export type ItemsChange = {
  /** numbers of items */
  readonly was: number
  readonly now: number
  /** fields whose share of items with a value, 0 to 1, is another */
  readonly fields: readonly { readonly field: string; readonly was: number; readonly now: number }[]
  /** further fields with other values in items of the same id */
  readonly values: readonly {
    readonly field: string
    readonly items: number
    readonly of: number
    /** the first of these values */
    readonly example: { readonly id: string; readonly was: unknown; readonly now: unknown }
  }[]
}

/** Fields by which an item is recognized; the first one that all items have. */
const IDS = ['id', 'url', 'username', 'title', 'name']

/** Compares items. Fields of nested objects are compared one level deep by their shares, and as a whole by value. */
export function compareItems(task: CatalogueTask, old: readonly Item[], fresh: readonly Item[]): ItemsChange {
  const [before, after] = [sharesOf(task, old), sharesOf(task, fresh)]
  const fields = task.fields.map((field) => ({ field, was: before[field] ?? 0, now: after[field] ?? 0 }))
  const both = old.length > 0 && fresh.length > 0
  const filled = both ? fields.filter(({ was, now }) => percent(was) !== percent(now)) : []
  const values = valueChanges(old, fresh).filter((one) => !filled.some(({ field }) => field === one.field))
  return { was: old.length, now: fresh.length, fields: filled, values }
}

function valueChanges(old: readonly Item[], fresh: readonly Item[]): ItemsChange['values'] {
  const id = IDS.find((name) => [...old, ...fresh].every((item) => typeof item[name] === 'string'))
  if (id === undefined) return []
  const known = new Map(old.map((item) => [item[id], item]))
  const pairs = fresh.flatMap((now) => {
    const was = known.get(now[id])
    return was ? [{ was, now }] : []
  })
  return [...new Set(pairs.flatMap(({ was }) => Object.keys(was)))].flatMap((field) => {
    const others = pairs.filter(({ was, now }) => JSON.stringify(was[field]) !== JSON.stringify(now[field]))
    const [first] = others
    if (!first) return []
    const example = { id: String(first.now[id]), was: first.was[field], now: first.now[field] }
    return [{ field, items: others.length, of: pairs.length, example }]
  })
}

/** Fields that lost more than half of their values. */
export const lostFields = ({ fields }: ItemsChange): string[] =>
  fields
    .filter(({ was, now }) => now < was / 2)
    .map(({ field, was, now }) => `${field} has a value in ${percent(now)} of the items, was ${percent(was)}`)

/** The changes as lines; the first line has the numbers of items. */
export const linesOf = ({ was, now, fields, values }: ItemsChange): string[] => [
  `${count(now, 'item')}${now === was ? '' : `, was ${was}`}`,
  ...fields.map(
    ({ field, was, now }) => `${field}: a value in ${percent(now)} of the items, was ${percent(was)}`,
  ),
  ...values.map(
    ({ field, items, of, example }) =>
      `${field}: another value in ${items} of ${of} items with the same id, such as ${short(example.now)}, was ${short(example.was)} (${short(example.id)})`,
  ),
]

function short(value: unknown): string {
  const text = printable(JSON.stringify(value) ?? 'nothing')
  return text.length > 60 ? `${text.slice(0, 59).toWellFormed()}…` : text
}
