/**
 * The downloads of a run: its items in three formats, and its files.
 *
 * @module
 */
import { type Html, html } from '../../../html.ts'
import { existing } from '../../../http/problems.ts'
import { columnsOf, download, type Format, itemsIn } from '../../../http/routes/downloads.ts'
import { icon } from '../../components/icon.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { seenIn } from '../run/find.ts'
import { ANY, columnsIn, columnsText, queryOf, viewOf } from './view.ts'

const FORMATS: readonly Format[] = ['csv', 'json', 'ndjson']

/** A menu of the downloads. @param base of the visitor @param path of the run's page @param columns of the table */
export function downloadMenu(base: string, path: string, columns: readonly string[]): Html {
  const links = FORMATS.map(
    (format) => html`<li><a href="${path}/download/${format}">Download ${format.toUpperCase()}</a></li>`,
  )
  return html`<details class="menu"><summary class="button quiet">${icon(base, 'download')}Download</summary><ul class="card">${links}<li><a href="${path}/download/csv${queryOf({ ...ANY, columns: columnsText(columns) })}">Download CSV of these columns</a></li></ul></details>`
}

/** Answers with all items; CSV with the columns that the address names. @throws {Problem} 404 for another format */
export async function downloadItems(visitor: AccountVisitor): Promise<Response> {
  const { deps, call } = visitor
  const { state } = await seenIn(visitor)
  const format = existing(FORMATS.find((each) => each === call.params.format))
  const { columns: picked } = viewOf(visitor.url)
  const columns =
    picked.length === 0 ? [] : columnsIn(picked, await columnsOf(deps, state), Number.POSITIVE_INFINITY)
  const options = { format, bom: true, ...(columns.length > 0 && { columns }) }
  const answer = await itemsIn(deps, state, options, call)
  answer.headers.set('content-disposition', `attachment; filename="${state.runId}.${format}"`)
  return answer
}

/** Answers with a file of the run. @throws {Problem} 404, 416 */
export const downloadFile = async (visitor: AccountVisitor): Promise<Response> =>
  download(visitor.deps, (await seenIn(visitor)).state, visitor.call)
