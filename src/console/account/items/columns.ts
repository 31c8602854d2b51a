/**
 * The columns of the items table: which ones the items have, and which of them say the most.
 *
 * @module
 */
import type { Item } from '../../../runs/items/texts.ts'
import { isId, type Kind, kindOf, linkIn, valueIn } from './values.ts'

/** The most columns that the table has room for. */
export const MOST_COLUMNS = 40
/** The most columns that are chosen when the reader has chosen none. */
const MOST_CHOSEN = 7
/** Fields that say little fill up to this number of columns. */
const LEAST_CHOSEN = 5
const LEAST_SCORE = 75
/** The most fields that a reader may pick from. */
const MOST_OFFERED = 200
/** A field with a longer name is shown with its item alone. */
const LONGEST_NAME = 100
/** A table with no more fields than this shows all of them that hold something. */
const FEW = 6

/** Fields that name an item, the best first. */
const NAMES = [
  /^(?:title|headline|subject)$/,
  /^(?:name|display_name|full_name)$/,
  /^(?:display_)?address$/,
  /^(?:text|caption|body|description|summary)$/,
  /^(?:username|screen_name|login|handle)$/,
  /(?:^|_)(?:title|name)$/,
]
const VALUES = /(?:^|_)(?:price|amount|total|rent|cost|rating|score)$/

/** How much a kind of values says in a table. */
const WORTH: Readonly<Record<Kind, number>> = {
  none: 0,
  empty: 0,
  text: 30,
  number: 30,
  time: 30,
  clock: 35,
  image: 10,
  flag: -10,
  link: -15,
  nested: -40,
}

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
  const known = fields.map((name) => ({ name, ...figuresOf(name, items) }))
  const full = known.filter(({ fill }) => fill > 0)
  const name = namingField(full.filter(({ fill }) => fill >= 0.5).map((each) => each.name))
  const best =
    full.length <= FEW
      ? full
      : full
          .filter((each) => !isId(each.name))
          .map((each) => ({ ...each, score: each.score + (each.name === name ? 1000 : 0) }))
          .sort((a, b) => b.score - a.score)
          .filter(({ score }, n) => n < LEAST_CHOSEN || score >= LEAST_SCORE)
          .slice(0, MOST_CHOSEN)
  const image = hasImages ? full.find((each) => each.isImage)?.name : undefined
  const first = [name, image].filter((each) => each !== undefined)
  const chosen = new Set(best.map((each) => each.name))
  return [...first, ...fields.filter((each) => chosen.has(each) && !first.includes(each))]
}

/** The field that names an item, such as its title; undefined if none does. */
export const namingField = (fields: readonly string[]): string | undefined =>
  NAMES.map((pattern) => fields.find((field) => pattern.test(field))).find((field) => field !== undefined)

/** The share of items with a value in a field, and what the field is worth in a table. */
function figuresOf(name: string, items: readonly Item[]) {
  const values = items.map((item) => valueIn(item, name))
  const held = values.filter(holds)
  const fill = held.length / Math.max(items.length, 1)
  const first = held[0]
  if (first === undefined) return { fill, score: 0, isImage: false }
  const kind = kindOf(name, first)
  let score = fill * 100 + WORTH[kind]
  if (kind === 'nested') score += isWords(first) ? 60 : Array.isArray(first) ? 0 : -100
  if (VALUES.test(name)) score += 40
  if (/html/i.test(name)) score -= 80
  if (kind === 'text' && held.every(isCode)) score -= 60
  // What is the same everywhere tells no item from another.
  if (held.length > 2 && kind !== 'nested' && held.every((value) => value === first)) score -= 60
  if (kind === 'text' && held.some((value) => String(value).length > 500)) score -= 20
  const isImage = kindOf(name, Array.isArray(first) ? first[0] : first) === 'image'
  return { fill, score, isImage }
}

/** A list that a cell writes out. */
const isWords = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length <= 3 &&
  value.every((word) => typeof word === 'string' && !linkIn(word))

/** A word with digits, such as a key of the source. */
const isCode = (value: unknown): boolean =>
  typeof value === 'string' && /^(?=.*\d)(?=.*[a-z])[\w-]{5,}$/i.test(value)

const holds = (value: unknown): boolean => {
  const isObject = typeof value === 'object' && value !== null
  return isObject ? Object.keys(value).length > 0 : value !== null && value !== undefined && value !== ''
}
