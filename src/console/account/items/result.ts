/**
 * The result of a run on its page: files first, then its items or, for a task that returns one object, its fields.
 *
 * @module
 */
import { mayAs } from '../../../domain/roles.ts'
import { type AdmittedRun, type EndedRun, isEnded } from '../../../domain/run.ts'
import { copyable, type Html, html } from '../../../html.ts'
import type { ItemsPage } from '../../../runs/items/page.ts'
import { filesOf, keptUntil } from '../../../runs/run-object.ts'
import { counted, empty, table, time } from '../../components/parts.ts'
import { size } from '../../components/size.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { hasExpired, hasNoItems } from '../runs/words.ts'
import { fieldList } from './fields.ts'
import { itemsList } from './list.ts'
import { notesOfResult } from './notes.ts'
import { itemsPage, resultRest } from './read.ts'
import { PAGE, viewOf } from './view.ts'

/** Bytes of HTML for the fields beside the items. */
const REST_BYTES = 15_000
const JSON_CHARS = 5000
/** A result of one object shows its parts at once. */
const OPEN_FIELDS = 60

/** The part of a run's page with its result, which a script keeps up to date. @param path of the run's page */
export async function result(visitor: AccountVisitor, run: AdmittedRun, path: string): Promise<Html> {
  return html`<div id="result" data-final="${isEnded(run) ? 'yes' : 'no'}">${await content(visitor, run, path)}</div>`
}

async function content(visitor: AccountVisitor, run: AdmittedRun, path: string): Promise<Html> {
  const { deps } = visitor
  const days = deps.config.resultRetentionDays
  const until = keptUntil(run, days)
  if (run.result && until !== null && hasExpired(deps, run))
    return html`<h2>Items</h2>${empty(html`The result expired on ${time(until)}. Results are kept for ${counted(days, 'day')}.`)}`
  const part = await itemsPage(visitor, run, viewOf(visitor.url).from, PAGE)
  const items = part.total > 0 && (await itemsList(visitor, run, part, path))
  if (!isEnded(run))
    return (
      items ||
      html`<h2 id="items">Items</h2>${empty('No items yet. They appear here as the run collects them.')}`
    )
  const files = await filesPart(visitor, run, path)
  const rest = await restPart(visitor, run, part)
  const none = !items && !files && nothing(visitor, run, rest !== false)
  return html`${files}${items && partial(run)}${items}${none}${rest}`
}

/** What is said of a run that ended without items; false for a failure, whose card says it, and for other results. */
function nothing({ deps, own, role }: AccountVisitor, run: EndedRun, hasRest: boolean): Html | false {
  if (run.code !== null) return false
  if (run.status === 'cancelled')
    return html`<h2>Items</h2>${empty('The run was cancelled before it had any items.')}`
  const task = deps.catalogue.get(run.taskKey)
  if (hasRest && (!task || hasNoItems(task))) return false
  const edit =
    task !== undefined &&
    mayAs(role, 'member') &&
    !hasExpired(deps, run) &&
    html`<p><a class="button quiet" href="${own}/tasks/${task.key}?from=${run.runId}">Edit the input</a></p>`
  return html`<h2>Items</h2>${empty('No items were found.', edit)}`
}

/** Above items that are not all: how the run ended. */
const partial = (run: EndedRun): Html | false =>
  (run.result?.partial === true || run.status !== 'succeeded') &&
  html`<p class="notice">${ENDED[run.status] ?? ENDED.failed} These are the items until then.</p>`

const ENDED: Readonly<Record<string, string>> = {
  cancelled: 'The run was cancelled.',
  expired: 'The run ran out of time.',
  failed: 'The run failed.',
}

async function filesPart(visitor: AccountVisitor, run: AdmittedRun, path: string): Promise<Html | false> {
  const head = await visitor.call.time.except(visitor.deps.runs.head(run))
  if (head.files.length === 0) return false
  const rows = filesOf(run, head).map(({ name, content_type, bytes }) => {
    const link = html`<a href="${path}/files/${encodeURIComponent(name)}">${name}</a>`
    return [link, content_type, size(bytes)]
  })
  return html`<h2>Files</h2>${table('Files', ['Name', 'Type', { label: 'Size', number: true }], rows)}`
}

/** What the result has beside its items: the whole result for some tasks. */
async function restPart(
  visitor: AccountVisitor,
  run: AdmittedRun,
  { items, from, total }: ItemsPage,
): Promise<Html | false> {
  const { next_cursor: next = null, partial: _, ...fields } = await resultRest(visitor, run)
  const task = visitor.deps.catalogue.get(run.taskKey)
  const notes = notesOfResult(task?.outputSchema ?? {})
  const hasFields = Object.keys(fields).length > 0
  if (total === 0 && !hasFields) return false
  if (total === 0 && (!task || hasNoItems(task)))
    return html`<h2>Result</h2>${fieldList(fields, { openUpTo: OPEN_FIELDS, notes })}${raw('Result as JSON', { items, next_cursor: next, ...fields })}`
  const others = next === null ? fields : { ...fields, next_cursor: next }
  const sample = { items: items.slice(0, 1), next_cursor: next, ...fields }
  return html`${(hasFields || next !== null) && html`<details class="rest"><summary>Other fields of the result</summary>${fieldList(others, { bytes: REST_BYTES, notes })}</details>`}
${from === 0 && total > 0 && raw(total === 1 ? 'Result as JSON' : 'Result as JSON, with its first item', sample)}`
}

/** A fold with JSON that is short enough for the page; the downloads have any. */
function raw(label: string, value: object): Html | false {
  const text = JSON.stringify(value, null, 2)
  return (
    text.length <= JSON_CHARS &&
    html`<details class="rest"><summary>${label}</summary>${copyable(text, 'The result as JSON')}</details>`
  )
}
