/**
 * One run: its state, items, files, and the events of its stream.
 *
 * @module
 */
import { FIXED_DETAILS, RUN_ERRORS, type RunErrorCode, whatToDo } from '../../domain/codes.ts'
import { parseRunId, runStream } from '../../domain/ids.ts'
import { mayAs } from '../../domain/roles.ts'
import { type AdmittedRun, isEnded } from '../../domain/run.ts'
import { copyable, type Html, html, words } from '../../html.ts'
import { existing } from '../../http/problems.ts'
import { columnsOf, download, type Format, itemsIn } from '../../http/routes/downloads.ts'
import { findRun } from '../../http/routes/one-run.ts'
import { cancelRun } from '../../http/routes/runs.ts'
import { refusalOf } from '../../log/refused.ts'
import { type Item, itemsOf } from '../../runs/result.ts'
import { filesOf, keptUntil } from '../../runs/run-object.ts'
import type { Seen } from '../../runs/runs.ts'
import { action, sentence } from '../components/forms.ts'
import { badge, count, counted, empty, facts, outside, table, time } from '../components/parts.ts'
import { page } from '../layout.ts'
import { seeOther } from '../redirect.ts'
import { accountRoute } from '../route.ts'
import type { AccountVisitor } from '../visitor.ts'
import { creditsOf, progressOf } from './run-rows.ts'
import { timeline } from './timeline.ts'

const PATH = '/runs/:run_id'

export const runPages = [
  accountRoute('GET', PATH, 'viewer', show),
  accountRoute('GET', `${PATH}/items/:format`, 'viewer', items),
  accountRoute('GET', `${PATH}/files/:name`, 'viewer', async (visitor) =>
    download(visitor.deps, (await seenIn(visitor)).state, visitor.call),
  ),
  accountRoute('POST', `${PATH}/cancel`, 'member', cancel),
]

/** Larger results can only be downloaded, in bytes. */
const SHOWN_BYTES = 1024 * 1024
const SHOWN_ITEMS = 50
/** Of a long stream, only the first and last events are shown. */
const FIRST_EVENTS = 20
const LAST_EVENTS = 60
const FORMATS: readonly Format[] = ['csv', 'json', 'ndjson']

/** @throws {Problem} 404, also for a run of another account */
const seenIn = (visitor: AccountVisitor): Promise<Seen<AdmittedRun>> =>
  findRun(visitor.deps, { params: visitor.call.params, key: visitor })

/** The input of a run; undefined if the run does not exist or its input has expired. */
export async function inputOf(
  { deps, accountId }: AccountVisitor,
  id: string,
): Promise<Record<string, unknown> | undefined> {
  const runId = parseRunId(id)
  const run = runId && (await deps.runs.find(runId, accountId))
  const body = run && (await deps.artifacts.get(run.state.inputRef))
  return body && JSON.parse(new TextDecoder().decode(body))
}

async function show(visitor: AccountVisitor): Promise<Response> {
  const { own, role } = visitor
  const seen = await seenIn(visitor)
  const run = seen.state
  const path = `${own}/runs/${run.runId}`
  const input = await inputOf(visitor, run.runId)
  const mayRun = mayAs(role, 'member')
  const again = html`<a class="button" href="${own}/tasks/${run.taskKey}${input && `?from=${run.runId}`}">${input ? 'Run again' : 'New run'}</a>`
  const actions = html`<div class="actions" id="actions" data-live-part>${!isEnded(run) && mayRun && action(`${path}/cancel`, 'Cancel', {}, 'danger')}
${isEnded(run) && mayRun && again}</div>`
  const body = html`<div id="state" data-live-part>
${facts([
  ['State', badge(run.status)],
  ['Progress', progressOf(run)],
  ['Credits', count(creditsOf(run))],
  ['Requested', time(run.createdAt)],
  ['Started', time(run.startedAt)],
  ['Ended', time(isEnded(run) ? run.finishedAt : null)],
  ['Run', html`<code>${run.runId}</code>`],
])}
${await failure(visitor, run)}
</div>
<div id="result" data-live-part>${await result(visitor, run, path)}</div>
<h2>Input</h2>
${input ? copyable(JSON.stringify(input, null, 2), 'The input') : empty('The input has expired.')}
<h2>What happened</h2>
<div id="timeline" data-live-part>${timeline(...(await eventsOf(visitor, seen)))}</div>`
  const live = isEnded(run) ? {} : { live: `${own}/changes?run=${run.runId}` }
  return page(visitor, { title: run.taskKey, actions, body, ...live })
}

/** The first and last events of a run, and the number of events between them. */
async function eventsOf({ deps: { log } }: AccountVisitor, { state, revision }: Seen<AdmittedRun>) {
  const stream = runStream(state.runId)
  const first = await log.readStream(stream, 0, FIRST_EVENTS)
  const from = Math.max(FIRST_EVENTS, revision + 1 - LAST_EVENTS)
  const last = revision < FIRST_EVENTS ? [] : await log.readStream(stream, from, LAST_EVENTS)
  return [first, last, from - FIRST_EVENTS] as const
}

async function failure({ deps, call, own, role }: AccountVisitor, run: AdmittedRun): Promise<Html | false> {
  if (!isEnded(run) || run.code === null) return false
  const code = run.code as RunErrorCode
  const head = await call.time.except(deps.runs.head(run))
  const detail = FIXED_DETAILS[code] ?? head.detail
  return html`<section class="card bad"><h2>${RUN_ERRORS[code] ?? run.code}</h2>${detail ? html`<p>${words(sentence(detail))}</p>` : false}
<p>${whatToDo(run.code)}</p>${code === 'source-login-required' && mayAs(role, 'member') && html`<p><a class="button" href="${own}/logins">Logins</a></p>`}<p class="hint">Code <code>${run.code}</code>. ${run.refunded > 0 && `${counted(run.refunded, 'credit')} ${run.refunded === 1 ? 'was' : 'were'} refunded.`}</p></section>`
}

async function result(visitor: AccountVisitor, run: AdmittedRun, path: string): Promise<Html> {
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

async function cancel({ deps, call: { params }, accountId, own, cause }: AccountVisitor): Promise<Response> {
  const refused = await refusalOf(cancelRun(deps, { params, key: { accountId, keyId: null }, cause }))
  // The page of an ended run shows how it ended.
  if (refused && refused.code !== 'ended') throw refused
  return seeOther(`${own}/runs/${params.run_id}`)
}
