/**
 * Short words about a run, for rows and facts.
 *
 * @module
 */
import type { Catalogue, CatalogueTask } from '../../../catalogue/catalogue.ts'
import { type AdmittedRun, isEnded, refundOf } from '../../../domain/run.ts'
import { type Html, html, words } from '../../../html.ts'
import { isExitNotice } from '../../../runs/exit-notices.ts'
import { keptUntil } from '../../../runs/run-object.ts'
import { duration, elapsed } from '../../components/durations.ts'
import { count, counted } from '../../components/parts.ts'
import { adviceOf, siteOf, whyOf } from '../run/advice.ts'

/** The title of a task; its key if it is no longer in the catalogue. */
export const taskTitle = ({ catalogue }: { readonly catalogue: Catalogue }, key: string): string =>
  catalogue.get(key)?.declaration.title ?? key

/** What a run has so far or in the end, or why it failed. */
export function outcome(deps: { readonly catalogue: Catalogue }, run: AdmittedRun): Html | string {
  if (!isEnded(run))
    return run.status === 'queued' && run.progress.done === 0 ? '' : progressText(run.progress)
  const items = run.result?.item_count ?? 0
  const result = returned(deps, run)
  if (run.code !== null) {
    const why = whyOf(run.code, siteOf(deps.catalogue, run.taskKey))
    return html`<span title="${why}">${adviceOf(run.code).brief}${items > 0 && `, ${result}`}</span>`
  }
  return result
}

/** What the stored result of a run is: items, files, or one object. */
function returned({ catalogue }: { readonly catalogue: Catalogue }, run: AdmittedRun): string {
  const items = run.result?.item_count ?? 0
  if (items > 0) return counted(items, 'item')
  if (run.files.length > 0) return counted(run.files.length, 'file')
  return run.result && hasNoItems(catalogue.get(run.taskKey)) ? '1 object' : counted(items, 'item')
}

/** Whether a task never has items: its result is one object, or files. */
export const hasNoItems = (task: CatalogueTask | undefined): boolean => task?.columns.length === 0

/** Whether the input and the result of a run are no longer shown. That follows from the clock alone. */
export function hasExpired(
  { config, now }: { readonly config: { readonly resultRetentionDays: number }; now(): number },
  run: AdmittedRun,
): boolean {
  const until = keptUntil(run, config.resultRetentionDays)
  return until !== null && now() >= until
}

/** What the service says in place of progress, of a run that starts over at another exit. Null: nothing. */
export const noticeOf = ({ message }: AdmittedRun['progress']): string | null =>
  message !== null && isExitNotice(message) ? message : null

/**
 * How far a run is: `2 of 5 pages read`, or a {@link noticeOf}. A message begins with what is counted; without one, it is
 * items.
 */
export function progressText(progress: AdmittedRun['progress']): Html | string {
  const { done, total, message } = progress
  const notice = noticeOf(progress)
  if (notice !== null) return words(notice)
  const amount = total === null ? count(done) : `${count(done)} of ${count(total)}`
  if (message) return html`${amount} ${words(message)}`
  return total === null ? counted(done, 'item') : `${amount} items`
}

/** How long a run took or has been running; how long it has been waiting. @param now milliseconds since 1970 */
export function took(run: AdmittedRun, now: number): Html | string {
  const { startedAt } = run
  if (isEnded(run))
    return startedAt === null ? '–' : duration(Date.parse(run.finishedAt) - Date.parse(startedAt))
  return startedAt === null || run.status === 'queued'
    ? html`<span class="hint">waits ${elapsed(run.createdAt, now)}</span>`
    : elapsed(startedAt, now)
}

/** The cost of a run so far: the charge less the refund. */
export const creditsOf = (run: AdmittedRun): number => run.charged - refundOf(run)
