/**
 * The account's latest runs of a task, and how long they take.
 *
 * @module
 */
import { runs } from '../../../../projections/runs.ts'
import type { CatalogueTask } from '../../../catalogue/catalogue.ts'
import { type AdmittedRun, isEnded } from '../../../domain/run.ts'
import { type Html, html } from '../../../html.ts'
import { page as listPage } from '../../../http/lists.ts'
import { listed } from '../../../http/routes/runs.ts'
import { unlessAway } from '../../../log/away.ts'
import { duration, relative } from '../../components/durations.ts'
import { badge } from '../../components/parts.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { outcome } from '../runs/words.ts'

/** Runs that the usual time is computed from. */
const MOST = 20
const SHOWN = 5

/** `usual`: the median time of the runs that succeeded, in words; undefined without one. */
export type History = { readonly list: Html; readonly usual: string | undefined }

export async function historyOf(visitor: AccountVisitor, task: CatalogueTask): Promise<History> {
  const { deps, own, accountId, call } = visitor
  const listing = await unlessAway(
    listPage(deps, runs, listed(accountId, undefined, task.key), { limit: MOST }),
  )
  if (!listing)
    return { list: html`<p class="hint">The list of runs is unavailable now.</p>`, usual: undefined }
  const all = listing.rows.map(({ run }) => run)
  const latest = all.slice(0, SHOWN)
  const titles = await call.time.except(deps.titles.ofMany(latest))
  const now = deps.now()
  const rows = latest.map(
    (run) =>
      html`<li><a href="${own}/runs/${run.runId}"><bdi>${titles.get(run.runId) ?? task.declaration.title}</bdi></a> ${badge(run.status)}
<span class="hint latest-note">${outcome(deps, run)} · ${relative(run.createdAt, now)} · <a href="${own}/tasks/${task.key}?from=${run.runId}">Use this input</a></span></li>`,
  )
  const list =
    latest.length === 0
      ? html`<p class="hint">Nobody in this account has run it yet.</p>`
      : html`<ul class="latest">${rows}</ul>${all.length > SHOWN && html`<p class="hint"><a href="${own}/runs?task_key=${task.key}">All runs of this task</a></p>`}`
  return { list, usual: medianOf(all.flatMap(tookMs)) }
}

const tookMs = (run: AdmittedRun): number[] =>
  isEnded(run) && run.status === 'succeeded' && run.startedAt !== null
    ? [Date.parse(run.finishedAt) - Date.parse(run.startedAt)]
    : []

function medianOf(times: readonly number[]): string | undefined {
  const middle = times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) / 2)]
  return middle === undefined ? undefined : duration(middle)
}
