/**
 * The items of a page as a table: one line a row, the number of an item leads to its page.
 *
 * @module
 */
import { type Html, html } from '../../../html.ts'
import { areWhole, currencyOf, decimalsIn, isAmount } from './amounts.ts'
import { bytesOf, type CellColumn, cell } from './cell.ts'
import { clip, labelOf } from './labels.ts'
import { decimalsOf } from './numbers.ts'
import type { Numbered, Sort } from './sort.ts'
import { imagesOf, valueIn } from './values.ts'

export type TableOptions = {
  readonly items: readonly Numbered[]
  readonly columns: readonly string[]
  readonly sort: Sort | undefined
  /** the path of the run's page */
  readonly path: string
  /** the query of the address of an item's page; may be empty */
  readonly query: string
  /** whether the image at an address is shown */
  mayShow(url: string): boolean
  /** The address of the page in another order; undefined when the head has no room for it. */
  sortedBy(column: string): string | undefined
}

/** The bytes of HTML that the rows have together: pages stay below 200 kB. */
const ROWS_BYTES = 130_000
const ROW_BYTES = 2600
/** What a cell takes beside its content and label, and the least that its content needs. */
const CELL_BYTES = 40
const LEAST_BYTES = 16
const LONGEST_LABEL = 24

export function itemsTable(options: TableOptions): Html {
  const { items } = options
  const rowBytes = Math.min(ROW_BYTES, Math.floor(ROWS_BYTES / Math.max(items.length, 1)))
  const columns = columnsOf(options.columns, items)
  const body = items.map((each) => row(each, columns, rowBytes, options))
  return html`<div class="scroll items-scroll" tabindex="0" role="region" aria-label="Items"><table class="items-table"><thead><tr><th scope="col" class="n"><span aria-hidden="true">#</span><span class="words">Number</span></th>${columns.map((column) => heading(column, options))}</tr></thead><tbody>${body}</tbody></table></div>`
}

export type TableColumn = CellColumn & {
  /** the words of its head, such as `Price, GBP` */
  readonly title: string
  /** the same, short */
  readonly label: Html
  /** whether its values stand at the right */
  readonly isNumber: boolean
}

/** What the values of a page's items have in common. */
export function columnsOf(names: readonly string[], items: readonly Numbered[]): readonly TableColumn[] {
  const isWhole = areWhole(items.map(({ item }) => item))
  return names.map((name) => {
    const held = items.filter(({ item }) => (valueIn(item, name) ?? null) !== null)
    const numbers = held
      .map(({ item }) => valueIn(item, name))
      .filter((value): value is number => typeof value === 'number')
    const isNumber = numbers.length > 0 && numbers.length === held.length
    const [currency, ...others] = new Set(isNumber ? held.map(({ item }) => currencyOf(item, name)) : [])
    const hasCurrency = currency !== undefined && others.length === 0
    const title = hasCurrency ? `${labelOf(name)}, ${currency}` : labelOf(name)
    const usual = decimalsOf(numbers)
    // Money has two decimals or none.
    const decimals = usual === 1 && isAmount(name) ? 2 : usual
    return {
      name,
      title,
      label: html`${clip(title, LONGEST_LABEL)}`,
      isNumber,
      decimals: hasCurrency && !isWhole ? Math.max(decimals, decimalsIn(currency)) : decimals,
      isWhole,
      hasCurrency,
    }
  })
}

function heading({ name, title, isNumber }: TableColumn, { sort, sortedBy }: TableOptions): Html {
  const isSorted = sort?.column === name
  const order = sort?.isDescending ? 'descending' : 'ascending'
  const to = sortedBy(name)
  const arrow = isSorted && html` <span aria-hidden="true">${sort?.isDescending ? '▼' : '▲'}</span>`
  return html`<th scope="col" title="${name}"${isNumber && html` class="number"`}${isSorted && html` aria-sort="${order}"`}>${to === undefined ? title : html`<a href="${to}">${title}${arrow}</a>`}</th>`
}

function row(
  { number, item }: Numbered,
  columns: readonly TableColumn[],
  bytes: number,
  options: TableOptions,
): Html {
  const { path, query, mayShow } = options
  const page = `${path}/items/${number}${query}`
  let images: readonly string[] | undefined
  const links = {
    item: page,
    image(url: string) {
      if (!mayShow(url)) return undefined
      images ??= imagesOf(item)
      const n = images.indexOf(url)
      return n < 0 ? undefined : `${path}/images/${number}/${n}`
    },
  }
  const least = columns.map(({ label }) => CELL_BYTES + LEAST_BYTES + bytesOf(label))
  let left = bytes - least.reduce((sum, each) => sum + each, 0)
  const cells = columns.map((column) => {
    const { label, isNumber } = column
    const most = LEAST_BYTES + Math.max(left, 0)
    const { kind, content } = cell(column, item, links, most)
    left -= Math.max(bytesOf(content) - LEAST_BYTES, 0)
    const isEmpty = kind === 'none' || kind === 'empty'
    const cls = [isNumber && 'number', isEmpty && 'none'].filter((each) => each !== false).join(' ')
    return html`<td data-label="${label}"${cls !== '' && html` class="${cls}"`}>${content}</td>`
  })
  return html`<tr id="item-${number}"><th scope="row" class="n"><a href="${page}"><span class="words">Item </span>${number}</a></th>${cells}</tr>
`
}
