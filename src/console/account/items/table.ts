/**
 * The items of a page as a table: one line a row, the number of an item leads to its page.
 *
 * @module
 */
import { type Html, html } from '../../../html.ts'
import { bytesOf, cell } from './cell.ts'
import { clip, labelOf } from './labels.ts'
import type { Numbered, Sort } from './sort.ts'
import { imagesOf, type Kind, valueIn } from './values.ts'

export type TableOptions = {
  readonly items: readonly Numbered[]
  readonly columns: readonly string[]
  readonly sort: Sort | undefined
  /** the path of the run's page */
  readonly path: string
  /** whether the image at an address is shown */
  mayShow(url: string): boolean
  /** The address of the page in another order; undefined when the head has no room for it. */
  sortedBy(column: string): string | undefined
}

/** The bytes of HTML that the rows have together: pages stay below 200 kB. */
const ROWS_BYTES = 130_000
const ROW_BYTES = 2600
/** What a cell takes beside its content and label, and the least that its content needs. */
const CELL_BYTES = 26
const LEAST_BYTES = 16
const LONGEST_LABEL = 24

export function itemsTable(options: TableOptions): Html {
  const { items, columns } = options
  const rowBytes = Math.min(ROW_BYTES, Math.floor(ROWS_BYTES / Math.max(items.length, 1)))
  const labels = columns.map((column) => html`${clip(labelOf(column), LONGEST_LABEL)}`)
  const body = items.map((each) => row(each, labels, rowBytes, options))
  return html`<div class="scroll items-scroll" tabindex="0" role="region" aria-label="Items"><table class="items-table"><thead><tr><th scope="col" class="n"><span aria-hidden="true">#</span><span class="words">Number</span></th>${columns.map((column) => heading(column, options))}</tr></thead><tbody>${body}</tbody></table></div>`
}

function heading(column: string, { sort, sortedBy }: TableOptions): Html {
  const label = labelOf(column)
  const isSorted = sort?.column === column
  const order = sort?.isDescending ? 'descending' : 'ascending'
  const to = sortedBy(column)
  const arrow = isSorted && html` <span aria-hidden="true">${sort?.isDescending ? '▼' : '▲'}</span>`
  return html`<th scope="col" title="${column}"${isSorted && html` aria-sort="${order}"`}>${to === undefined ? label : html`<a href="${to}">${label}${arrow}</a>`}</th>`
}

const CLASSES: Readonly<Partial<Record<Kind, string>>> = { none: 'none', empty: 'none', number: 'number' }

function row(
  { number, item }: Numbered,
  labels: readonly Html[],
  bytes: number,
  options: TableOptions,
): Html {
  const { columns, path, mayShow } = options
  const page = `${path}/items/${number}`
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
  const least = labels.map((label) => CELL_BYTES + LEAST_BYTES + bytesOf(label))
  let left = bytes - least.reduce((sum, each) => sum + each, 0)
  const cells = columns.map((column, i) => {
    const { kind, content } = cell(column, valueIn(item, column), links, LEAST_BYTES + Math.max(left, 0))
    left -= Math.max(bytesOf(content) - LEAST_BYTES, 0)
    const cls = CLASSES[kind]
    return html`<td data-label="${labels[i]!}"${cls !== undefined && html` class="${cls}"`}>${content}</td>`
  })
  return html`<tr id="item-${number}"><td class="n"><a href="${page}"><span class="words">Item </span>${number}</a></td>${cells}</tr>
`
}
