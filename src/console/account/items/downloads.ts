/**
 * The downloads of a run: its items in three formats, and its files.
 *
 * @module
 */
import { type Html, html } from '../../../html.ts'
import { existing } from '../../../http/problems.ts'
import { download, type Format, itemsIn } from '../../../http/routes/downloads.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { seenIn } from '../run/find.ts'

const FORMATS: readonly Format[] = ['csv', 'json', 'ndjson']

/** Links to the downloads. @param path of the run's page */
export const downloadLinks = (path: string): Html =>
  html`<p class="actions items-downloads">${FORMATS.map((format) => html`<a class="button quiet" href="${path}/download/${format}">Download ${format.toUpperCase()}</a>`)}</p>`

/** Answers with all items. @throws {Problem} 404 for another format */
export async function downloadItems(visitor: AccountVisitor): Promise<Response> {
  const { deps, call } = visitor
  const { state } = await seenIn(visitor)
  const format = existing(FORMATS.find((each) => each === call.params.format))
  const answer = await itemsIn(deps, state, { format, bom: true }, call)
  answer.headers.set('content-disposition', `attachment; filename="${state.runId}.${format}"`)
  return answer
}

/** Answers with a file of the run. @throws {Problem} 404, 416 */
export const downloadFile = async (visitor: AccountVisitor): Promise<Response> =>
  download(visitor.deps, (await seenIn(visitor)).state, visitor.call)
