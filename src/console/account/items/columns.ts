/**
 * The columns of the items table: which ones the items have, and which of them say the most.
 *
 * @module
 */
import type { Item } from '../../../runs/items/texts.ts'
import { namingField } from './naming.ts'
import { isId } from './numbers.ts'
import { valueIn } from './values.ts'
import { figuresOf, holds } from './worth.ts'

/** The most columns that the table has room for. */
export const MOST_COLUMNS = 40
/** The most columns that are chosen when the reader has chosen none. */
const MOST_CHOSEN = 7
const LEAST_SCORE = 75
/** Fields that say little fill up to this number of columns, and any fields up to the other. */
const LEAST_CHOSEN = 5
const LEAST_FILLING = 65
const ALWAYS = 3
/** The most fields that a reader may pick from. */
const MOST_OFFERED = 200
/** A field with a longer name is shown with its item alone. */
const LONGEST_NAME = 100
/** A table with no more fields than this shows all of them that hold something. */
const FEW = 6

/**
 * Names of fields: the one that names an item, and the others in the order of the schema; fields that only the items have
 * follow.
 */
export function fieldsOf(items: readonly Item[], schema: readonly string[]): readonly string[] {
  const names = new Set(schema)
  for (const item of items) {
    if (names.size >= MOST_OFFERED) break
    for (const name of Object.keys(item)) names.add(name)
  }
  const fields = [...names].filter((name) => name.length <= LONGEST_NAME).slice(0, MOST_OFFERED)
  const first = namingField(fields.filter((name) => items.some((item) => holds(valueIn(item, name)))))
  return first === undefined ? fields : [first, ...fields.filter((name) => name !== first)]
}

/**
 * The columns that say the most about items: the fullest first, no ids, few links, in the order of the schema. The
 * column that names an item comes first.
 *
 * @param fields as {@link fieldsOf} returns them
 * @param hasImages whether the table shows pictures: the first column with pictures is the second one
 */
export function bestColumns(
  items: readonly Item[],
  fields: readonly string[],
  hasImages = false,
): readonly string[] {
  const known = fields.map((name) => ({ name, ...figuresOf(name, items, fields) }))
  const full = known.filter(({ fill }) => fill > 0)
  const name = namingField(full.filter(({ fill }) => fill >= 0.5).map((each) => each.name))
  const time = full.find(({ kind }) => kind === 'time')
  // One time says when; others say less.
  const isLater = (each: (typeof full)[number]) => each.kind === 'time' && each !== time
  const best =
    full.length <= FEW
      ? full
      : full
          .filter((each) => !isId(each.name))
          .map((each) => ({
            ...each,
            score: each.score + (each.name === name ? 1000 : 0) - (isLater(each) ? 20 : 0),
          }))
          .sort((a, b) => b.score - a.score)
          .filter(({ score }, n) => n < ALWAYS || score >= (n < LEAST_CHOSEN ? LEAST_FILLING : LEAST_SCORE))
          .slice(0, MOST_CHOSEN)
  const image = hasImages ? full.find((each) => each.isImage)?.name : undefined
  const first = [name, image].filter((each) => each !== undefined)
  const chosen = new Set(best.map((each) => each.name))
  return [...first, ...fields.filter((each) => chosen.has(each) && !first.includes(each))]
}
