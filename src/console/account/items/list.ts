/**
 * The items of a run on its page: a page of them as a table, with the reader's columns, order and filter.
 *
 * @module
 */
import type { AdmittedRun } from '../../../domain/run.ts'
import { type Html, html } from '../../../html.ts'
import type { ItemsPage } from '../../../runs/items/page.ts'
import { count, counted, empty } from '../../components/parts.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { labelOf } from './labels.ts'
import { type Shown, shownOf } from './shown.ts'
import type { Numbered, Sort } from './sort.ts'
import { itemsTable } from './table.ts'
import { tools } from './tools.ts'
import { kindOf, valueIn } from './values.ts'
import { nextPage, PAGE, previousPage, queryOf, type View, viewOfItem } from './view.ts'

/** A head with longer links would repeat them for each column. */
const LONGEST_QUERY = 1000

/** @param part the items from the place that the address names */
export async function itemsList(
  visitor: AccountVisitor,
  run: AdmittedRun,
  part: ItemsPage,
  path: string,
): Promise<Html> {
  const shown = await shownOf(visitor, run, part)
  const { view, task, hasPictures, fields, columns, isPicked, sort, items } = shown
  const to = (changes: Partial<View>) => `${path}${queryOf({ ...view, ...changes })}#items`
  const isShort = queryOf(view).length <= LONGEST_QUERY
  const table = itemsTable({
    items,
    columns,
    sort,
    path,
    query: queryOf(viewOfItem({ ...view, images: view.images && hasPictures })),
    mayShow: (url) => view.images && task !== undefined && visitor.deps.images.allows(task.source, url),
    sortedBy: (column) => (isShort ? to({ sort: nextSort(column, sort) }) : undefined),
  })
  const turn = pager(view, part, to)
  return html`<div class="items-head"><h2 id="items">Items</h2><p class="items-count" id="items-count">${rangeOf(part)}${!part.isFinal && html` <span class="badge busy">so far</span> The run is still working.`}</p></div>
${tools({ base: visitor.base, view, path, fields, columns, sort, hasPictures, isPicked, to })}
${notes(shown, part, to)}
${items.length > 0 && table}
${zoneOf(items, columns)}
<div id="items-pager">${turn}</div>`
}

/** The order after a click on a head: ascending, descending, and that of the source again. */
function nextSort(column: string, sort: Sort | undefined): string {
  if (sort?.column !== column) return column
  return sort.isDescending ? '' : `-${column}`
}

function rangeOf({ from, items, total }: ItemsPage): Html {
  if (items.length === 0) return html`${counted(total, 'item')}`
  const range = items.length === 1 ? count(from + 1) : `${count(from + 1)}–${count(from + items.length)}`
  return from === 0 && items.length === total
    ? html`<strong>${counted(total, 'item')}</strong>`
    : html`<strong>${range}</strong> of ${counted(total, 'item')}`
}

/** Names the time zone if there are times. A script names the browser's. */
export const zoneOf = (items: readonly Numbered[], columns: readonly string[]): Html | false =>
  items.some(({ item }) => columns.some((column) => kindOf(column, valueIn(item, column)) === 'time')) &&
  html`<p class="hint">Times are in the time zone <span data-zone>UTC</span>.</p>`

/** Sorting and filtering only concern the items on the page, and the page says so. */
function notes(
  { view, items, sort }: Shown,
  part: ItemsPage,
  to: (changes: Partial<View>) => string,
): Html | false {
  if (part.items.length === 0)
    return empty(
      html`There are no items from number ${count(view.from + 1)} on.`,
      html`<p><a class="button quiet" href="${to({ from: 0, before: [] })}">First items</a></p>`,
    )
  const whole = part.items.length === part.total
  const among = whole
    ? counted(part.items.length, 'item')
    : `${counted(part.items.length, 'item')} on this page`
  const matchNote =
    view.find !== '' &&
    html`${items.length === 0 ? 'None' : count(items.length)} of the ${among} ${items.length === 1 ? 'contains' : 'contain'} “<bdi>${view.find}</bdi>”. <a href="${to({ find: '' })}">Show all</a>`
  const order =
    sort !== undefined &&
    html`Sorted by ${labelOf(sort.column)}${sort.isDescending && ', descending'}${!whole && html`, within the ${among}`}. <a href="${to({ sort: '' })}">Original order</a>`
  if (!matchNote && !order) return false
  return html`<p class="hint items-notes">${matchNote && html`<span>${matchNote}</span>`}${order && html`<span>${order}</span>`}</p>`
}

function pager(view: View, { next, total }: ItemsPage, to: (changes: Partial<View>) => string): Html | false {
  const { from } = view
  if (from === 0 && next === null) return false
  const last = Math.floor((total - 1) / PAGE) * PAGE
  const link = (label: string, place: Partial<View> | false) =>
    place === false
      ? html`<span class="button quiet" aria-disabled="true">${label}</span>`
      : html`<a class="button quiet" href="${to(place)}">${label}</a>`
  return html`<nav class="pager" aria-label="Pages of items">${link('First', from > 0 && { from: 0, before: [] })}${link('Previous', from > 0 && previousPage(view))}${link('Next', next !== null && nextPage(view, next))}${link('Last', next !== null && { from: last, before: [] })}</nav>`
}
