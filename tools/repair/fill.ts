/**
 * Whether the fields of a run's items have as many values as is usual.
 *
 * @module
 */
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { hasKinds } from '../../src/catalogue/fields.ts'
import { Filling } from '../../src/catalogue/filling.ts'
import type { Shares } from '../../src/health/standings.ts'
import type { Item, Replayed } from './replay.ts'

/** For each field the number of items that could have it, and that have a value. */
export type Counts = ReadonlyMap<string, { readonly possible: number; readonly filled: number }>

/** What is counted of a run: its items, or the result of a task without items. */
export const countedIn = (
  { columns }: CatalogueTask,
  { items, rest }: Pick<Replayed, 'items' | 'rest'>,
): readonly Item[] => (columns.length > 0 ? items : [rest])

/** Counts values. Fields that no item could have are left out. */
export function countsOf({ fields, declaration }: CatalogueTask, items: readonly Item[]): Counts {
  const filling = new Filling(fields, hasKinds(declaration))
  for (const item of items) filling.add(item)
  const { sums } = filling
  const all = fields.map(
    (field, i) => [field, { possible: sums?.possible[i] ?? 0, filled: sums?.filled[i] ?? 0 }] as const,
  )
  return new Map(all.filter(([, { possible }]) => possible > 0))
}

/** The shares of items with a value, 0 to 1. Fields that no item could have are left out. */
export const sharesOf = (task: CatalogueTask, items: readonly Item[]): Shares =>
  Object.fromEntries(
    [...countsOf(task, items)].map(([field, { possible, filled }]) => [field, filled / possible]),
  )

/** A field with fewer than half of its usual values. */
export type Lack = {
  readonly field: string
  /** shares of items with a value, 0 to 1 */
  readonly was: number
  readonly now: number
  /** the number of items that could have it */
  readonly items: number
  /** false: there are too few items to tell */
  readonly isLost: boolean
}

/** What happens by chance less often than this is no chance. */
const UNLIKELY = 0.1

/**
 * The fields that have fewer than half of their usual values. They are lost if so few are unlikely by chance. No value at
 * all is judged by the similar recording too: most items of such inputs may have a field that is rare on the whole.
 *
 * @param usual shares of items with a value; `similar`: those of the recording with the most similar requests
 * @param missed fields that are known to be lost: for them half of the usual share is required in any case
 */
export const lacksOf = (
  { shares, similar }: { readonly shares: Shares; readonly similar: Shares },
  counts: Counts,
  missed: readonly string[] = [],
): Lack[] =>
  Object.entries(shares).flatMap(([field, was]) => {
    const { possible, filled } = counts.get(field) ?? { possible: 0, filled: 0 }
    const isMissed = missed.includes(field)
    const now = possible === 0 ? 0 : filled / possible
    if (now >= was / 2 || (possible === 0 && !isMissed)) return []
    const likely = filled === 0 ? Math.max(was, similar[field] ?? 0) : was
    const isLost = isMissed || chanceOf(filled, possible, likely) < UNLIKELY
    return [{ field, was, now, items: possible, isLost }]
  })

/** The chance that at most so many of the items have a value, when each has one with the usual probability. */
function chanceOf(filled: number, items: number, usual: number): number {
  const p = Math.min(usual, 0.999)
  let term = (1 - p) ** items
  let sum = term
  for (let i = 1; i <= filled; i++) {
    term *= ((items - i + 1) / i) * (p / (1 - p))
    sum += term
  }
  return sum
}
