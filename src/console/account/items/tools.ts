/**
 * What a reader can do with the items table: filter, sort, pick columns, show pictures, download. Everything works
 * without scripts.
 *
 * @module
 */
import { type Html, html } from '../../../html.ts'
import { icon } from '../../components/icon.ts'
import { MOST_COLUMNS } from './columns.ts'
import { downloadMenu } from './downloads.ts'
import { labelOf } from './labels.ts'
import type { Sort } from './sort.ts'
import { ALL, queryOf, type View } from './view.ts'

export type ToolsOptions = {
  /** of the visitor */
  readonly base: string
  readonly view: View
  /** of the run's page */
  readonly path: string
  readonly fields: readonly string[]
  readonly columns: readonly string[]
  readonly sort: Sort | undefined
  /** whether the pictures of the source may be shown */
  readonly hasPictures: boolean
  /** whether the reader picked the columns */
  readonly isPicked: boolean
  to(changes: Partial<View>): string
}

export function tools(options: ToolsOptions): Html {
  const { base, view, path, columns, hasPictures, to } = options
  const pictures =
    hasPictures &&
    html`<a class="button quiet" href="${to({ images: !view.images })}">${icon(base, 'images')}${view.images ? 'Hide images' : 'Show images'}</a>`
  return html`<div class="items-tools">
<form method="get" action="${path}#items" class="items-find" role="search">${kept(view, ['find', 'sort'])}
<label class="words" for="find">Filter the items on this page</label><input type="search" id="find" name="find" value="${view.find}" placeholder="Filter these items">
${order(options)}<button class="quiet">${icon(base, 'filter')}Filter</button></form>
${picker(options)}
${pictures}
${downloadMenu(base, path, columns)}
<button type="button" class="quiet copy-table" data-table="${path}/table.tsv${queryOf(view)}">${icon(base, 'copy')}<span>Copy table</span></button>
</div>`
}

/** The reader's other choices, as hidden fields of a form. */
function kept(view: View, changed: readonly (keyof View)[]): Html {
  const values: readonly (readonly [keyof View, string])[] = [
    ['from', view.from > 0 ? String(view.from) : ''],
    ['before', view.before.join()],
    ...view.columns.map((value) => ['columns', value] as const),
    ['sort', view.sort],
    ['find', view.find],
    ['images', view.images ? '1' : ''],
  ]
  return html`${values
    .filter(([name, value]) => value !== '' && !changed.includes(name))
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`
}

/** Columns that a phone offers to sort by. */
const MOST_ORDERS = 10

/** On a phone, where the table has no head to click on. */
function order({ columns, sort }: ToolsOptions): Html {
  const option = (value: string, label: string, isChosen: boolean) =>
    html`<option value="${value}"${isChosen && html` selected`}>${label}</option>`
  const offered = new Set([...columns.slice(0, MOST_ORDERS), ...(sort ? [sort.column] : [])])
  const options = [...offered].flatMap((column) => {
    const isSorted = sort?.column === column
    return [
      option(column, `${labelOf(column)} ▲`, isSorted && !sort?.isDescending),
      option(`-${column}`, `${labelOf(column)} ▼`, isSorted && sort?.isDescending === true),
    ]
  })
  return html`<label class="words" for="sort">Sort the items on this page</label><select id="sort" name="sort" class="items-sort">${option('', 'Original order', sort === undefined)}${options}</select>`
}

function picker({ view, path, fields, columns, isPicked }: ToolsOptions): Html {
  const chosen = new Set(columns)
  const boxes = fields.map(
    (field) =>
      html`<label title="${field}"><input type="checkbox" name="columns" value="${field}"${chosen.has(field) && html` checked`}> ${labelOf(field)}</label>`,
  )
  const most =
    fields.length > MOST_COLUMNS && html`<p class="hint">The table shows ${MOST_COLUMNS} columns at most.</p>`
  return html`<details class="menu"><summary class="button quiet">Columns <span class="hint">${columns.length} of ${fields.length}</span></summary>
<form method="post" action="${path}/columns" class="card">${kept(view, ['columns'])}
<fieldset class="items-columns"><legend>Columns</legend>${boxes}</fieldset>${most}
<p class="actions"><button>Show these</button><button class="quiet" name="choice" value="${ALL}">All columns</button>${isPicked && html`<button class="quiet" name="choice" value="reset">Reset</button>`}</p></form></details>`
}
