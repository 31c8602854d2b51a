/**
 * The result of a run: its items, files and downloads.
 *
 * @module
 */
import { type AdmittedRun, isEnded } from '../../../domain/run.ts'
import { copyable, type Html, html } from '../../../html.ts'
import { existing } from '../../../http/problems.ts'
import { columnsOf, download, type Format, itemsIn } from '../../../http/routes/downloads.ts'
import { type Item, itemsOf } from '../../../runs/result.ts'
import { filesOf, keptUntil } from '../../../runs/run-object.ts'
import { count, counted, empty, outside, table, time } from '../../components/parts.ts'
import { accountRoute } from '../../route.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { seenIn } from './find.ts'

const PATH = '/runs/:run_id'

export const resultRoutes = [
  accountRoute('GET', `${PATH}/items/:format`, 'viewer', items),
  accountRoute('GET', `${PATH}/files/:name`, 'viewer', async (visitor) =>
    download(visitor.deps, (await seenIn(visitor)).state, visitor.call),
  ),
]

/** Larger results can only be downloaded, in bytes. */
const SHOWN_BYTES = 1024 * 1024
const SHOWN_ITEMS = 50
const FORMATS: readonly Format[] = ['csv', 'json', 'ndjson']

/** The part of a run's page below its state. */
export async function result(visitor: AccountVisitor, run: AdmittedRun, path: string): Promise<Html> {
  if (!isEnded(run)) return html`<h2>Items</h2>${empty('Items are shown when the run has ended.')}`
  const { deps, call } = visitor
  const days = deps.config.resultRetentionDays
  const until = keptUntil(run, days)
  if (run.result && until !== null && deps.now() >= until)
    return html`<h2>Items</h2>${empty(html`The result expired on ${time(until)}. Results are kept for ${counted(days, 'day')}.`)}`
  if (run.result && run.result.bytes > SHOWN_BYTES) {
    return html`<h2>Items</h2><p>${counted(run.result.item_count, 'item')}, ${counted(run.result.bytes, 'byte')}: too large to show here.</p>${downloads(path)}`
  }
  const { head, result: stored } = await call.time.except(deps.runs.result(run))
  const { items: shown, total, next, others } = await itemsOf(stored, 0, SHOWN_ITEMS)
  const columns = await columnsOf(deps, run, stored)
  const files =
    head.files.length > 0 &&
    html`<h2>Files</h2>${table(
      'Files',
      ['Name', 'Type', { label: 'Bytes', number: true }],
      filesOf(run, head).map(({ name, content_type, bytes }) => {
        const link = html`<a href="${path}/files/${encodeURIComponent(name)}">${name}</a>`
        return [link, content_type, count(bytes)]
      }),
    )}`
  const raw = JSON.stringify({ items: shown.slice(0, 1), next_cursor: next, ...others }, null, 2)
  const whole = html`<details${total === 0 && html` open`}><summary>${total > 1 ? 'Result as JSON, with its first item' : 'Result as JSON'}</summary>${copyable(raw, 'The result as JSON')}</details>`
  if (total === 0) {
    // Some tasks return only other fields, or files.
    const isEmpty = Object.keys(others).length === 0 && head.files.length === 0
    if (isEmpty && run.code !== null) return html``
    return html`${isEmpty && html`<h2>Items</h2>${empty('This run returned no items.')}`}${files}${!isEmpty && html`<h2>Result</h2>${whole}`}`
  }
  const partial = run.result?.partial ? ' The result is partial: the run did not complete.' : ''
  return html`<h2>Items</h2>
<p>${counted(total, 'item')}${total > shown.length && `, of which the first ${shown.length} are shown`}.${partial}</p>
${downloads(path)}
<div class="wide">${table(
    'Items',
    columns,
    shown.map((item) => columns.map((column) => cell(item, column))),
  )}</div>
${whole}${files}`
}

const downloads = (path: string): Html =>
  html`<p class="actions">${FORMATS.map((format) => html`<a class="button quiet" href="${path}/items/${format}">Download ${format.toUpperCase()}</a>`)}</p>`

const MOST_CHARS = 300

/** A value of an item, shown as plain text or as a link. It comes from a source and is never treated as HTML. */
function cell(item: Item, column: string): Html | string {
  const value = item[column]
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  if (text.length > MOST_CHARS) return `${text.slice(0, MOST_CHARS)}…`
  return /^https?:\/\/\S+$/.test(text) ? outside(text) : html`<bdi>${text}</bdi>`
}

async function items(visitor: AccountVisitor): Promise<Response> {
  const { deps, call } = visitor
  const { state } = await seenIn(visitor)
  const format = existing(FORMATS.find((each) => each === call.params.format))
  const answer = await itemsIn(deps, state, { format, bom: true }, call)
  answer.headers.set('content-disposition', `attachment; filename="${state.runId}.${format}"`)
  return answer
}
