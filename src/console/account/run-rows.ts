/**
 * Runs as rows of a table.
 *
 * @module
 */
import type { RunRow } from '../../../projections/runs.ts'
import { RUN_ERRORS, type RunErrorCode } from '../../domain/codes.ts'
import { type AdmittedRun, isEnded } from '../../domain/run.ts'
import { type Html, html } from '../../html.ts'
import { badge, count, type Row, time } from '../components/parts.ts'
import type { InAccount } from '../frame.ts'

export const RUN_COLUMNS = [
  'Task',
  'State',
  'Progress',
  'Requested',
  { label: 'Credits', number: true },
] as const

export const runRows = ({ own }: InAccount, rows: readonly RunRow[]): Row[] =>
  rows.map(({ run }) => [
    html`<a href="${own}/runs/${run.runId}">${run.taskKey}</a>`,
    badge(run.status),
    progressOf(run),
    time(run.createdAt),
    count(creditsOf(run)),
  ])

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
