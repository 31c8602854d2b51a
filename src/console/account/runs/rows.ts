/**
 * Runs in a table. Every list of runs has these rows.
 *
 * @module
 */
import type { AdmittedRun } from '../../../domain/run.ts'
import { type Html, html } from '../../../html.ts'
import { relative } from '../../components/durations.ts'
import { badge, count, table } from '../../components/parts.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { starterNames } from '../starters.ts'
import { creditsOf, hasExpired, outcome, taskTitle, took } from './words.ts'

type RunTable = {
  /** the table's name for screen readers */
  readonly label: string
  readonly runs: readonly AdmittedRun[]
  /** shown instead of an empty table */
  readonly none: Html
  /** whether a script keeps its rows up to date */
  readonly isLive?: boolean
  /** the id of the form that acts on chosen rows; none by default */
  readonly chosenBy?: string
}

/** A table of runs, each with the title of its task and its own. */
export async function runTable(visitor: AccountVisitor, { runs, ...shown }: RunTable): Promise<Html> {
  const { deps, call } = visitor
  const [titles, names] = await Promise.all([
    call.time.except(deps.titles.ofMany(runs)),
    starterNames(
      deps,
      runs.map(({ startedBy }) => startedBy),
    ),
  ])
  const now = deps.now()
  const { label, none, isLive = false, chosenBy } = shown
  const columns = [
    'Run',
    'State',
    'Result',
    'Took',
    'Started by',
    'Requested',
    { label: 'Credits', number: true },
  ]
  const rows = table(
    label,
    chosenBy === undefined ? columns : ['', ...columns],
    runs.map((run) => {
      const task = taskTitle(deps, run.taskKey)
      const title = titles.get(run.runId) ?? null
      const result = outcome(deps, run)
      const cells = [
        runLink(visitor, run, title),
        badge(run.status),
        result === '' ? '' : html`<span class="run-result">${result}</span>`,
        took(run, now),
        html`<span class="run-starter">${names.get(run.startedBy) ?? ''}</span>`,
        relative(run.createdAt, now),
        credits(creditsOf(run)),
      ]
      if (chosenBy === undefined) return cells
      const box = html`<input type="checkbox" name="run" value="${run.runId}" form="${chosenBy}" aria-label="Select ${title ?? task}">`
      return [box, ...cells]
    }),
    { none, ...(isLive && { live: runs.map(({ runId }) => runId) }) },
  )
  // An empty list has no table, and its first run is announced too.
  return isLive ? html`<div class="runs" data-live-rows>${rows}</div>` : html`<div class="runs">${rows}</div>`
}

/** A phone shows no heads of columns. */
const credits = (amount: number): Html =>
  html`${count(amount)}<span class="on-phone"> ${amount === 1 ? 'credit' : 'credits'}</span>`

/**
 * A link to a run: `Marketplace search · desk lamp`.
 *
 * @param title of the run, or null: it expires with the input
 */
export function runLink(
  { deps, own }: Pick<AccountVisitor, 'deps' | 'own'>,
  run: AdmittedRun,
  title: string | null,
): Html {
  const task = taskTitle(deps, run.taskKey)
  const words = title ?? (hasExpired(deps, run) ? 'input expired' : undefined)
  const about =
    words !== undefined &&
    html`<span class="run-dot"> · </span><bdi class="run-title${title === null && ' is-expired'}">${words}</bdi>`
  return html`<a class="run-name" href="${own}/runs/${run.runId}" title="${words === undefined ? task : `${task} · ${words}`}"><span class="run-task">${task}</span>${about}</a>`
}
