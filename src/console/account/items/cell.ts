/**
 * One value in a cell of the items table, in one line and a limited number of bytes. Values come from a source: they are
 * text, never markup.
 *
 * @module
 */
import { type Html, html } from '../../../html.ts'
import type { Item } from '../../../runs/items/texts.ts'
import { outside } from '../../components/parts.ts'
import { amountText, currencyOf } from './amounts.ts'
import { clip, linkLabel, nestedLabel } from './labels.ts'
import { nameOf } from './naming.ts'
import { numberText } from './numbers.ts'
import { type Kind, kindOf, linkIn, valueIn } from './values.ts'

/** Where the parts of a value lead. */
export type CellLinks = {
  /** the page of the item */
  readonly item: string
  /** the path of a picture of the item on this service; undefined while pictures are not shown */
  image(url: string): string | undefined
}
export type Cell = { readonly kind: Kind; readonly content: Html }

const LONGEST_TEXT = 120
const SHORTEST_TEXT = 4
/** Pictures of a list in one cell. */
const MOST_PICTURES = 3
/** A list of words is written out up to this length. */
const LONGEST_LIST = 60

export const bytesOf = ({ text }: Html): number => Buffer.byteLength(text)

/**
 * The value of an item in a column.
 *
 * @param most the number of bytes that the content may have
 */
export function cell(column: CellColumn, item: Item, links: CellLinks, most: number): Cell {
  const value = valueIn(item, column.name)
  const isBare = typeof value === 'object' && value !== null && Object.keys(value).length === 0
  const kind = isBare ? 'empty' : kindOf(column.name, value)
  const content =
    kind === 'number'
      ? html`${number(column, item, value as number)}`
      : contentOf(column.name, value, kind, links)
  return { kind, content: bytesOf(content) <= most ? content : shortened(column.name, value, kind, most) }
}

export type CellColumn = {
  readonly name: string
  /** of its numbers, so that their points stand below each other; default: as many as each has */
  readonly decimals?: number
  /** whether amounts are written without decimals; default: false */
  readonly isWhole?: boolean
  /** whether its head names the currency of all its amounts; default: each amount has its own */
  readonly hasCurrency?: boolean
}

function number(
  { name, decimals, isWhole = false, hasCurrency = false }: CellColumn,
  item: Item,
  value: number,
): string {
  const currency = hasCurrency ? undefined : currencyOf(item, name)
  return currency === undefined ? numberText(name, value, decimals) : amountText(value, currency, isWhole)
}

function contentOf(name: string, value: unknown, kind: Kind, links: CellLinks): Html {
  switch (kind) {
    case 'none':
      return html`–`
    case 'empty':
      return html`${typeof value === 'object' ? nestedLabel(value as object) : 'empty'}`
    case 'flag':
      return flag(value as boolean)
    case 'time':
      return shortTime(Date.parse(value as string))
    case 'clock':
      return html`${clockText(value as string)}`
    case 'link':
      return html`${outside(value as string, linkText(value as string))}`
    case 'image':
      return picture(value as string, links)
    case 'nested':
      return nested(value as object, name, links)
    default:
      return html`<bdi>${clip(String(value), LONGEST_TEXT)}</bdi>`
  }
}

/** A time in UTC without its zone, which the page names. A script shows it in the browser's time zone. */
function shortTime(at: number): Html {
  const iso = new Date(at).toISOString()
  return html`<time datetime="${iso}">${`${iso.slice(0, 10)} ${iso.slice(11, 16)}`}</time>`
}

/** A yes or no, in words for screen readers. */
export const flag = (value: boolean): Html =>
  value
    ? html`<span class="yes" role="img" aria-label="yes">✓</span>`
    : html`<span class="no" role="img" aria-label="no">✗</span>`

/** A date and time without a zone, as the source printed it. */
export const clockText = (value: string): string =>
  value.replace('T', ' ').replace(/(:\d\d):00(?:\.0+)?$/, '$1')

/** The label of a link. @param value a web address */
export const linkText = (value: string): string => {
  const url = linkIn(value)
  return clip(url ? linkLabel(url) : value, 40)
}

function picture(value: string, { image }: CellLinks): Html {
  const source = image(value)
  if (source === undefined) return html`${outside(value, linkText(value))}`
  return html`${outside(value, html`<img src="${source}" alt="image" loading="lazy">`)}`
}

function nested(value: object, name: string, links: CellLinks): Html {
  const list = Array.isArray(value) ? (value as unknown[]).slice(0, MOST_PICTURES) : []
  const pictures = list.filter(
    (entry): entry is string => typeof entry === 'string' && kindOf(name, entry) === 'image',
  )
  if (pictures.length > 0 && links.image(pictures[0]!) !== undefined) {
    const more = (value as unknown[]).length - pictures.length
    return html`${pictures.map((url) => picture(url, links))}${more > 0 && html` +${more}`}`
  }
  const words = wordsOf(value)
  return words === undefined
    ? html`<a href="${links.item}">${nestedLabel(value)}</a>`
    : html`<bdi>${clip(words, LONGEST_LIST)}</bdi>`
}

/** A short list of words, or the name of an object; undefined for a value that only its item shows. */
function wordsOf(value: object): string | undefined {
  if (!Array.isArray(value)) return nameOf(value)
  const isPlain = value.every((entry) => typeof entry === 'string' || typeof entry === 'number')
  if (!isPlain || value.length > 10) return undefined
  const text = value.map((entry) => String(entry).slice(0, LONGEST_LIST)).join(', ')
  return text !== '' && text.length <= LONGEST_LIST && !text.includes('://') ? text : undefined
}

/** A value without its link, as short as it must be. */
function shortened(name: string, value: unknown, kind: Kind, most: number): Html {
  if (kind === 'time') return html`${String(value).slice(0, 10)}`
  if (kind === 'number') return html`${numberText(name, value as number)}`
  if (kind === 'flag') return html`${value ? 'yes' : 'no'}`
  const text = kind === 'nested' ? (wordsOf(value as object) ?? nestedLabel(value as object)) : String(value)
  const whole = kind === 'link' || kind === 'image' ? linkText(text) : text
  for (let chars = LONGEST_TEXT; ; chars = Math.floor(chars / 2)) {
    const content = html`${clip(whole, Math.max(chars, SHORTEST_TEXT))}`
    if (bytesOf(content) <= most || chars <= SHORTEST_TEXT) return content
  }
}
