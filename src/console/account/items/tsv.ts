/**
 * The table as tab-separated text, which a script copies for spreadsheets: whole values, in the reader's columns and
 * order.
 *
 * @module
 */
import { tsvRow } from '../../../plugin/csv-row.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { seenIn } from '../run/find.ts'
import { currencyOf } from './amounts.ts'
import { nameOf } from './naming.ts'
import { itemsPage } from './read.ts'
import { shownOf } from './shown.ts'
import type { Numbered } from './sort.ts'
import { columnsOf, type TableColumn } from './table.ts'
import { valueIn } from './values.ts'
import { PAGE, viewOf } from './view.ts'

/** Answers with the items that the table of the address shows. */
export async function tableAsText(visitor: AccountVisitor): Promise<Response> {
  const { state } = await seenIn(visitor)
  const part = await itemsPage(visitor, state, viewOf(visitor.url).from, PAGE)
  const { columns, items } = await shownOf(visitor, state, part)
  const headers = {
    'content-type': 'text/tab-separated-values; charset=utf-8',
    'content-disposition': `attachment; filename="${state.runId}.tsv"`,
  }
  return new Response(textOf(items, columns), { headers })
}

/** The lines of a table, the first with its heads. A text that a spreadsheet would take for a formula begins with `'`. */
export function textOf(items: readonly Numbered[], names: readonly string[]): string {
  const columns = columnsOf(names, items)
  const rows = items.map(({ item }) => tsvRow(columns.map((column) => cellOf(item, column))))
  return tsvRow(columns.map(({ title }) => title)) + rows.join('')
}

/** Numbers stay numbers, except for amounts in several currencies. */
function cellOf(item: Numbered['item'], { name, hasCurrency }: TableColumn): unknown {
  const value = valueIn(item, name)
  if (typeof value === 'number' && !hasCurrency) {
    const currency = currencyOf(item, name)
    return currency === undefined ? value : `${value} ${currency}`
  }
  if (typeof value !== 'object' || value === null) return value
  const isPlain = Array.isArray(value) && value.every((entry) => typeof entry !== 'object')
  return isPlain ? value.join(', ') : (nameOf(value) ?? value)
}
