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

/** The most pictures of an item that the console counts. */
const MOST_IMAGES = 500

/** The addresses of an item's pictures, in the order in which the item has them. */
export function imagesOf(item: Item): string[] {
  const urls: string[] = []
  const stack: (readonly [name: string, value: unknown])[] = Object.entries(item).reverse()
  for (let next = stack.pop(); next && urls.length < MOST_IMAGES; next = stack.pop()) {
    const [name, value] = next
    if (typeof value === 'string' && kindOf(name, value) === 'image') urls.push(value)
    if (typeof value !== 'object' || value === null) continue
    const inside = Array.isArray(value) ? value.map((entry) => [name, entry] as const) : Object.entries(value)
    stack.push(...inside.slice(0, MOST_IMAGES).reverse())
  }
  return urls
}
