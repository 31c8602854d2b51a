/**
 * Runs in a table.
 *
 * @module
 */
import type { RunRow } from '../../../projections/runs.ts'
import { RUN_ERRORS, type RunErrorCode } from '../../domain/codes.ts'
import { mayAs } from '../../domain/roles.ts'
import { type AdmittedRun, isEnded } from '../../domain/run.ts'
import { type Html, html, words } from '../../html.ts'
import { badge, count, counted, empty, table, time } from '../components/parts.ts'
import type { AccountVisitor } from '../visitor.ts'

/** A table of runs. @param isLive whether a script keeps its rows up to date */
export const runTable = (
  { own, role }: AccountVisitor,
  label: string,
  runs: readonly RunRow[],
  none: string,
  isLive: boolean,
): Html => {
  const rows = table(
    label,
    ['Task', 'State', 'Progress', 'Requested', { label: 'Credits', number: true }],
    runs.map(({ run }) => [
      html`<a href="${own}/runs/${run.runId}">${run.taskKey}</a>`,
      badge(run.status),
      progressOf(run),
      time(run.createdAt),
      count(creditsOf(run)),
    ]),
    {
      none: empty(
        none,
        mayAs(role, 'member') && html`<p><a class="button" href="${own}/tasks">Start a run</a></p>`,
      ),
      ...(isLive && { live: runs.map(({ run }) => run.runId) }),
    },
  )
  // An empty list has no table, and its first run is announced too.
  return isLive ? html`<div data-live-rows>${rows}</div>` : rows
}

/** The progress of a run, or why it failed. */
export function progressOf(run: AdmittedRun): Html | string {
  if (isEnded(run) && run.code !== null) return RUN_ERRORS[run.code as RunErrorCode] ?? run.code
  if (!isEnded(run)) return progressText(run.progress)
  const items = run.result?.item_count ?? run.progress.done
  return items === 0 && run.files.length > 0 ? counted(run.files.length, 'file') : counted(items, 'item')
}

/** How far a run is. A message says what is counted; without one, it is items. */
export function progressText({ done, total, message }: AdmittedRun['progress']): Html | string {
  const amount = total === null ? count(done) : `${count(done)} of ${count(total)}`
  if (message) return html`${amount} · ${words(message)}`
  return total === null ? counted(done, 'item') : `${amount} items`
}

/** The cost of a run so far: the charge less the refund. */
export const creditsOf = (run: AdmittedRun): number => run.charged - (isEnded(run) ? run.refunded : 0)
