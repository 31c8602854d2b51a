/**
 * The values of items as people tell them apart: texts, numbers, times, links, images, nested values.
 *
 * @module
 */
import type { Item } from '../../../runs/items/texts.ts'

/**
 * `none`: null or absent. `clock`: a date and time without a zone, as printed on a ticket. `image`: a link to a picture.
 */
export type Kind =
  | 'none'
  | 'empty'
  | 'text'
  | 'number'
  | 'flag'
  | 'time'
  | 'clock'
  | 'link'
  | 'image'
  | 'nested'

const DATE_AND_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/
const PICTURE = /\.(?:jpe?g|png|gif|webp|avif)$/i
const PICTURE_FIELD =
  /(?:^|_)(?:image|photo|picture|thumbnail|thumb|avatar|cover|poster|banner|icon|logo)s?(?:_urls?)?$/i
/** Longer addresses are texts: no browser needs to open them. */
const LONGEST_LINK = 4000

/** The value of a field. Fields may be called like methods of objects. */
export const valueIn = (item: Item, name: string): unknown =>
  Object.hasOwn(item, name) ? item[name] : undefined

/** @param name of the field; entries of a list have the list's name */
export function kindOf(name: string, value: unknown): Kind {
  if (value === null || value === undefined) return 'none'
  if (typeof value === 'object') return 'nested'
  if (typeof value === 'boolean') return 'flag'
  if (typeof value === 'number') return 'number'
  const text = String(value)
  if (text.trim() === '') return 'empty'
  const [isTime, zone] = DATE_AND_TIME.exec(text) ?? []
  if (isTime !== undefined && !Number.isNaN(Date.parse(text))) return zone === undefined ? 'clock' : 'time'
  const url = linkIn(text)
  if (!url) return 'text'
  return PICTURE.test(url.pathname) || PICTURE_FIELD.test(name) ? 'image' : 'link'
}

/** A web address without a user or password; undefined for any other text. */
export function linkIn(text: string): URL | undefined {
  if (text.length > LONGEST_LINK || !/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return url.username === '' && url.password === '' ? url : undefined
}

/** Whether a field names a thing for machines: its numbers have no thousands separators, and people skip it. */
export const isId = (name: string): boolean =>
  /(?:^|[_-])(?:ids?|uuid|guid|pk)$|[a-z]Ids?$|^pageid$/i.test(name)

/** The most decimals that numbers of a column are filled up to. */
const MOST_DECIMALS = 3

const MONEY = /(?:^|_)(?:price|amount|cost|fee|total|rent)$/

/** The decimals that all numbers of a column are written with; 0 if some have too many. Money has two or none. */
export function decimalsOf(name: string, numbers: readonly number[]): number {
  const most = Math.max(0, ...numbers.map((value) => String(value).split('.')[1]?.length ?? 0))
  if (most === 1 && MONEY.test(name)) return 2
  return most > MOST_DECIMALS ? 0 : most
}

/**
 * A number with separators, unless its field names a thing or a year.
 *
 * @param decimals at least so many
 */
export const numberText = (name: string, value: number, decimals = 0): string =>
  isId(name) || /(?:^|_)(?:year|number|code)$/i.test(name)
    ? String(value)
    : value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: 10 })

/** The most pictures of an item that the console counts. */
const MOST_IMAGES = 500

/** The addresses of an item's pictures, in the order in which the item has them. */
export function imagesOf(item: Item): string[] {
  const found: string[] = []
  const stack: (readonly [name: string, value: unknown])[] = Object.entries(item).reverse()
  for (let next = stack.pop(); next && found.length < MOST_IMAGES; next = stack.pop()) {
    const [name, value] = next
    if (typeof value === 'string' && kindOf(name, value) === 'image') found.push(value)
    if (typeof value !== 'object' || value === null) continue
    const inside = Array.isArray(value) ? value.map((entry) => [name, entry] as const) : Object.entries(value)
    stack.push(...inside.slice(0, MOST_IMAGES).reverse())
  }
  return found
}
