/**
 * The items of a run on its page: a page of them as a table, with the reader's columns, order and filter.
 *
 * @module
 */
import type { AdmittedRun } from '../../../domain/run.ts'
import { type Html, html } from '../../../html.ts'
import type { Source } from '../../../plugin.ts'
import type { ItemsPage } from '../../../runs/items/page.ts'
import { count, counted, empty } from '../../components/parts.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { chosenColumns } from './chosen.ts'
import { bestColumns, fieldsOf } from './columns.ts'
import { labelOf } from './labels.ts'
import { itemsPage } from './read.ts'
import { matching, type Numbered, type Sort, sorted } from './sort.ts'
import { itemsTable } from './table.ts'
import { tools } from './tools.ts'
import { kindOf, valueIn } from './values.ts'
import { columnsIn, PAGE, queryOf, sortIn, type View, viewOf } from './view.ts'

/** Whether the console may show images of a source: it says where they are, and they are the same for everybody. */
export const mayHaveImages = (source: Source | undefined): boolean =>
  source?.login === undefined && (source?.imageHosts ?? []).length > 0

/** A head with longer links would repeat them for each column. */
const LONGEST_QUERY = 1000

/** @param part the items from the place that the address names */
export async function itemsList(
  visitor: AccountVisitor,
  run: AdmittedRun,
  part: ItemsPage,
  path: string,
): Promise<Html> {
  const view = viewOf(visitor.url)
  const task = visitor.deps.catalogue.get(run.taskKey)
  // The same columns on every page.
  const first = part.from === 0 ? part : await itemsPage(visitor, run, 0, PAGE)
  const fields = fieldsOf([...first.items, ...part.items], task?.columns ?? [])
  const hasPictures = mayHaveImages(task?.source)
  const picked = [view.columns, chosenColumns(visitor.call.request, run.taskKey)]
    .map((values) => columnsIn(values, fields))
    .find((names) => names.length > 0)
  const columns = picked ?? bestColumns(first.items, fields, view.images && hasPictures)
  const sort = sortIn(view.sort, fields)
  const numbered = part.items.map((item, n) => ({ number: part.from + n + 1, item }))
  const shown = inView(numbered, view.find, sort)
  const to = (changes: Partial<View>) => `${path}${queryOf({ ...view, ...changes })}#items`
  const isShort = queryOf(view).length <= LONGEST_QUERY
  const table = itemsTable({
    items: shown,
    columns,
    sort,
    path,
    mayShow: (url) => view.images && task !== undefined && visitor.deps.images.allows(task.source, url),
    sortedBy: (column) => (isShort ? to({ sort: nextSort(column, sort) }) : undefined),
  })
  const turn = pager(part, to)
  return html`<div class="items-head"><h2 id="items">Items</h2><p class="items-count" id="items-count">${rangeOf(part)}${!part.isFinal && html` <span class="badge busy">so far</span> The run is still working.`}</p></div>
${tools({ base: visitor.base, view, path, fields, columns, sort, hasPictures, isPicked: picked !== undefined, to })}
${notes(view, part, shown, sort, to)}
${shown.length > 0 && table}
${zoneOf(shown, columns)}
<div id="items-pager">${turn}</div>`
}

function inView(items: readonly Numbered[], find: string, sort: Sort | undefined): readonly Numbered[] {
  const found = find === '' ? items : matching(items, find)
  return sort ? sorted(found, sort) : found
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
  view: View,
  part: ItemsPage,
  shown: readonly Numbered[],
  sort: Sort | undefined,
  to: (changes: Partial<View>) => string,
): Html | false {
  if (part.items.length === 0)
    return empty(
      html`There are no items from number ${count(view.from + 1)} on.`,
      html`<p><a class="button quiet" href="${to({ from: 0 })}">First items</a></p>`,
    )
  const whole = part.items.length === part.total
  const among = whole
    ? counted(part.items.length, 'item')
    : `${counted(part.items.length, 'item')} on this page`
  const found =
    view.find !== '' &&
    html`${shown.length === 0 ? 'None' : count(shown.length)} of the ${among} ${shown.length === 1 ? 'contains' : 'contain'} “<bdi>${view.find}</bdi>”. <a href="${to({ find: '' })}">Show all</a>`
  const order =
    sort !== undefined &&
    html`Sorted by ${labelOf(sort.column)}${sort.isDescending && ', descending'}${!whole && html`, within the ${among}`}. <a href="${to({ sort: '' })}">Original order</a>`
  if (!found && !order) return false
  return html`<p class="hint items-notes">${found && html`<span>${found}</span>`}${order && html`<span>${order}</span>`}</p>`
}

function pager({ from, next, total }: ItemsPage, to: (changes: Partial<View>) => string): Html | false {
  if (from === 0 && next === null) return false
  const last = Math.floor((total - 1) / PAGE) * PAGE
  const link = (label: string, place: number | null) =>
    place === null
      ? html`<span class="button quiet" aria-disabled="true">${label}</span>`
      : html`<a class="button quiet" href="${to({ from: place })}">${label}</a>`
  return html`<nav class="pager" aria-label="Pages of items">${link('First', from > 0 ? 0 : null)}${link('Previous', from > 0 ? Math.max(from - PAGE, 0) : null)}${link('Next', next)}${link('Last', next === null ? null : last)}</nav>`
}
