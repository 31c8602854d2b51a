/**
 * Runs in a table.
 *
 * @module
 */
import type { RunRow } from '../../../projections/runs.ts'
import { RUN_ERRORS, type RunErrorCode } from '../../domain/codes.ts'
import { type AdmittedRun, isEnded } from '../../domain/run.ts'
import { type Html, html } from '../../html.ts'
import { badge, count, empty, table, time } from '../components/parts.ts'
import type { InAccount } from '../visitor.ts'

/** A table of runs. @param isLive whether a script keeps its rows up to date */
export const runTable = (
  { own }: InAccount,
  label: string,
  runs: readonly RunRow[],
  none: string,
  isLive: boolean,
): Html =>
  table(
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
      none: empty(none, html`<p><a class="button" href="${own}/tasks">Start a run</a></p>`),
      ...(isLive && { live: runs.map(({ run }) => run.runId) }),
    },
  )

/** The progress of a run, or why it failed. */
export function progressOf(run: AdmittedRun): Html | string {
  if (isEnded(run) && run.code !== null) return RUN_ERRORS[run.code as RunErrorCode] ?? run.code
  const { done, total, message } = run.progress
  const items = isEnded(run) ? (run.result?.item_count ?? done) : done
  const text = `${count(items)}${total === null || isEnded(run) ? '' : ` of ${count(total)}`} ${items === 1 ? 'item' : 'items'}`
  return message && !isEnded(run) ? html`${text} · ${message}` : text
}

/** The cost of a run so far: the charge less the refund. */
export const creditsOf = (run: AdmittedRun): number => run.charged - (isEnded(run) ? run.refunded : 0)
