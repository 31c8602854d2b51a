/**
 * A value of an item in full: texts with their line breaks, and nested values as a tree that opens without scripts.
 *
 * @module
 */
import { type Html, html } from '../../../html.ts'
import { count, outside, time } from '../../components/parts.ts'
import { amountText, areWhole, currencyOf } from './amounts.ts'
import { bytesOf, clockText } from './cell.ts'
import { clip, labelOf, nestedLabel } from './labels.ts'
import { numberText } from './numbers.ts'
import { kindOf } from './values.ts'

/** How much HTML may still be written. What does not fit is counted, and is in the downloads. */
export class Budget {
  constructor(private left: number) {}

  /** Writes a part, and returns it. */
  spend(part: Html): Html {
    this.left -= bytesOf(part)
    return part
  }

  get isSpent(): boolean {
    return this.left <= 0
  }

  /** The most characters that a text may have. A character takes at most six bytes of HTML. */
  textLength(most: number): number {
    return Math.max(Math.min(most, Math.floor(this.left / 6)), 100)
  }
}

/** Shows a picture of an item; false while pictures are not shown. */
export type Picture = (url: string) => Html | false

const LONGEST_TEXT = 5000
const LONGEST_LINK = 120
/** Entries of a list that are shown before the rest is folded. */
const SHOWN_ENTRIES = 20
/** A nested value with no more entries than this is open. */
const OPEN_ENTRIES = 8
const OPEN_DEPTH = 2
/** Deeper values are shown as JSON. */
const DEEPEST = 30

export type TreeOptions = {
  readonly budget: Budget
  readonly picture: Picture
  /** A nested value at the top with no more entries than this is open. */
  readonly openUpTo?: number
}

/** The object that a value is in. */
export type Owner = { readonly fields: object; readonly isWhole: boolean }
/** @param fields an object or a list */
export const ownerOf = (fields: object): Owner => ({
  fields,
  isWhole: !Array.isArray(fields) && areWhole([fields]),
})

/** @param depth 0: a field of an item */
export function wholeValue(
  name: string,
  value: unknown,
  owner: Owner,
  options: TreeOptions,
  depth = 0,
): Html {
  const { budget, picture, openUpTo = OPEN_ENTRIES } = options
  if (typeof value !== 'object' || value === null)
    return budget.spend(leaf(name, value, owner, budget, picture))
  const all = entriesOf(value)
  if (all.length === 0) return budget.spend(html`<span class="none">${nestedLabel(value)}</span>`)
  if (depth >= DEEPEST || budget.isSpent)
    return budget.spend(html`<code>${clip(JSON.stringify(value).slice(0, LONGEST_TEXT), 200)}</code>`)
  const isOpen = depth < OPEN_DEPTH && all.length <= (depth === 0 ? openUpTo : OPEN_ENTRIES)
  const own = ownerOf(value)
  const line = ([key, inner]: readonly [string, unknown]): Html => {
    const isList = Array.isArray(value)
    const label = budget.spend(html`<li><span class="key">${isList ? key : labelOf(key)}</span> <div>`)
    return html`${label}${wholeValue(isList ? name : key, inner, own, options, depth + 1)}</div></li>`
  }
  const first = lines(all.slice(0, SHOWN_ENTRIES), line, budget)
  const rest = all.slice(SHOWN_ENTRIES)
  const folded =
    rest.length > 0 &&
    html`<details class="tree"><summary>${count(rest.length)} more</summary>${lines(rest, line, budget)}</details>`
  return html`<details class="tree"${isOpen && html` open`}><summary>${nestedLabel(value)}</summary>${first}${folded}</details>`
}

/** Names and values; the entries of a list are numbered from 1. */
const entriesOf = (value: object): readonly (readonly [string, unknown])[] =>
  Array.isArray(value) ? value.map((entry, n) => [String(n + 1), entry] as const) : Object.entries(value)

function lines<T>(part: readonly T[], line: (each: T) => Html, budget: Budget): Html {
  const shown: Html[] = []
  for (const each of part) {
    if (budget.isSpent) break
    shown.push(line(each))
  }
  const left = part.length - shown.length
  return html`<ul>${shown}${left > 0 && html`<li class="hint">${count(left)} more, which the downloads have.</li>`}</ul>`
}

function leaf(name: string, value: unknown, owner: Owner, budget: Budget, picture: Picture): Html {
  switch (kindOf(name, value)) {
    case 'none':
      return html`<span class="none">null</span>`
    case 'empty':
      return html`<span class="none">empty text</span>`
    case 'number':
      return html`${numberIn(owner, name, value as number)}`
    case 'flag':
      return value ? html`✓ yes` : html`✗ no`
    case 'time':
      return html`${time(Date.parse(value as string))}`
    case 'clock':
      return html`${clockText(value as string)}`
    case 'link':
      return html`${outside(value as string, clip(value as string, LONGEST_LINK))}`
    case 'image':
      return html`${picture(value as string)}${outside(value as string, clip(value as string, LONGEST_LINK))}`
    default:
      return text(String(value), budget)
  }
}

function numberIn({ fields, isWhole }: Owner, name: string, value: number): string {
  const currency = currencyOf(fields, name)
  return currency === undefined ? numberText(name, value) : amountText(value, currency, isWhole)
}

function text(value: string, budget: Budget): Html {
  const most = budget.textLength(LONGEST_TEXT)
  if (value.length <= most) return html`<bdi class="text">${value}</bdi>`
  const start = value.slice(0, most).toWellFormed()
  return html`<bdi class="text">${start}…</bdi> <span class="hint">The first ${count(most)} of ${count(value.length)} characters.</span>`
}
