/**
 * How much a field says about items in a table, by its name and by what the items hold.
 *
 * @module
 */
import type { Item } from '../../../runs/items/texts.ts'
import { nameOf } from './naming.ts'
import { type Kind, kindOf, linkIn, valueIn } from './values.ts'

/** Values that people compare items by. */
const VALUES = /(?:^|_)(?:price|amount|total|rent|cost|rating|score)$/
/** Figures that say more than others. */
const FIGURES = /^(?:(?:view|play|like|favou?rite)s?_count|bedrooms|bathrooms)$/
/** Amounts that others include. */
const PARTS = /(?:^|_)(?:fee|tax|deposit)s?$/
/** What is about the page, the text or other fields rather than the thing. */
const ASIDE =
  /(?:^|_)(?:latitude|longitude|lat|lng|width|height|page|position|index|offset|lang|language|domain|ns|version|scope|currency|currency_code|(?:updated|edited|modified|seen|fetched)_at)$/
/** The same value in another form, such as `price_display` beside `price`. */
const FORM = /_(?:text|display|formatted|label|code|prefixed|raw|html|short)$/

/** How much a kind of values says in a table. */
const WORTH: Readonly<Record<Kind, number>> = {
  none: 0,
  empty: 0,
  text: 30,
  number: 30,
  time: 40,
  clock: 40,
  image: -45,
  flag: -30,
  link: -30,
  nested: -40,
}

/**
 * The kind of a field's values; the share of items with one, from 0 to 1; what the field is worth in a table; and whether
 * it holds pictures.
 *
 * @param fields all fields of the items
 */
export function figuresOf(name: string, items: readonly Item[], fields: readonly string[]) {
  const held = items.map((item) => valueIn(item, name)).filter(holds)
  const fill = held.length / Math.max(items.length, 1)
  const first = held[0]
  if (first === undefined) return { kind: 'none', fill, score: 0, isImage: false } as const
  const kind = kindOf(name, first)
  let score = fill * 100 + WORTH[kind]
  if (kind === 'nested') score += nestedWorth(first as object)
  if (VALUES.test(name)) score += 40
  else if (FIGURES.test(name)) score += 10
  else if (PARTS.test(name)) score -= 20
  if (ASIDE.test(name) || isOtherForm(name, fields)) score -= 80
  if (held.every((value) => value === 0)) score -= 40
  if (/html/i.test(name)) score -= 80
  if (kind === 'text' && held.every(isCode)) score -= 60
  if (held.length > 2 && areAlike(held)) score -= 60
  if (kind === 'text' && held.some((value) => String(value).length > 500)) score -= 20
  const isImage = kindOf(name, Array.isArray(first) ? first[0] : first) === 'image'
  return { kind, fill, score, isImage }
}

/** Whether a field has a value: null, empty texts, lists and objects are none. */
export const holds = (value: unknown): boolean => {
  const isObject = typeof value === 'object' && value !== null
  return isObject ? Object.keys(value).length > 0 : value !== null && value !== undefined && value !== ''
}

/** The name of an object says as much as a text, the number of a list's entries something, names of fields nothing. */
function nestedWorth(value: object): number {
  if (nameOf(value) !== undefined) return 80
  if (isWords(value)) return 70
  return Array.isArray(value) ? 0 : -100
}

const isOtherForm = (name: string, fields: readonly string[]): boolean =>
  FORM.test(name) && fields.includes(name.replace(FORM, ''))

/** A list that a cell writes out. */
const isWords = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length <= 3 &&
  value.every((word) => typeof word === 'string' && !linkIn(word))

/** A key of the source: a word with digits, or a long number as text. */
const isCode = (value: unknown): boolean =>
  typeof value === 'string' && /^(?=.*\d)(?:(?=.*[a-z])[\w-]{5,}|\d{5,})$/i.test(value)

/** What is the same everywhere tells no item from another. */
function areAlike(values: readonly unknown[]): boolean {
  const shown = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? nameOf(value) : value
  const first = shown(values[0])
  return first !== undefined && values.every((value) => shown(value) === first)
}
