/**
 * Sorting and filtering of the items on a page.
 *
 * @module
 */
import type { Item } from '../../../runs/items/texts.ts'
import { nameOf } from './naming.ts'
import { valueIn } from './values.ts'

/** An item with its place in the result, counted from 1. */
export type Numbered = { readonly number: number; readonly item: Item }
export type Sort = { readonly column: string; readonly isDescending: boolean }

const words = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
/** Texts are compared by their beginnings. */
const COMPARED = 200

/** Sorts by a column. Numbers come before texts; items without a value stay last in both directions. */
export function sorted(items: readonly Numbered[], { column, isDescending }: Sort): readonly Numbered[] {
  const keyed = items.map((each) => ({ each, key: keyOf(valueIn(each.item, column)) }))
  return keyed
    .sort((a, b) => {
      if (a.key === undefined || b.key === undefined)
        return Number(a.key === undefined) - Number(b.key === undefined)
      const order = compare(a.key, b.key)
      return isDescending ? -order : order
    })
    .map(({ each }) => each)
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return words.compare(a, b)
  return typeof a === 'number' ? -1 : 1
}

/** What a value is sorted by: lists by their length, objects by their names. Undefined: it has no place in an order. */
function keyOf(value: unknown): number | string | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'string') return value === '' ? undefined : value.slice(0, COMPARED)
  if (Array.isArray(value)) return value.length
  return typeof value === 'object' && value !== null ? nameOf(value)?.slice(0, COMPARED) : undefined
}

/** The items of which any value, however deep, contains the text. Case does not matter. */
export function matching(items: readonly Numbered[], text: string): readonly Numbered[] {
  const wanted = text.toLowerCase()
  return items.filter(({ item }) => contains(item, wanted))
}

function contains(root: unknown, wanted: string): boolean {
  const stack: unknown[] = [root]
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (typeof value === 'string' && value.toLowerCase().includes(wanted)) return true
    if (typeof value === 'number' && String(value).includes(wanted)) return true
    if (typeof value === 'object' && value !== null)
      for (const inside of Object.values(value)) if (inside !== null) stack.push(inside)
  }
  return false
}
