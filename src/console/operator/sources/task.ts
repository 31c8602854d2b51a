/**
 * How a task works: its state, its last ends, and the last failure with what the site said.
 *
 * @module
 */
import { FIXED_DETAILS, isRunErrorCode, RUN_ERRORS } from '../../../domain/codes.ts'
import type { Telling } from '../../../domain/health/standing.ts'
import { type Html, html, words } from '../../../html.ts'
import { unlessAway } from '../../../log/away.ts'
import { copyId } from '../../components/copy-id.ts'
import { healthBadge, strip } from '../../components/health.ts'
import { table, time } from '../../components/parts.ts'
import type { Visitor } from '../../visitor.ts'
import type { TaskStanding } from './standing.ts'

type Failure = NonNullable<NonNullable<TaskStanding['row']>['last_failure']>

export async function taskSection(
  visitor: Visitor,
  { task, row, health, since }: TaskStanding,
): Promise<Html> {
  const ends = row?.ends ?? []
  return html`<section class="card task-health"><h3>${task.declaration.title} <code>${task.key}</code></h3>
<p>${healthBadge(health)}${since !== null && html` <span class="hint">since ${time(since)}</span>`}</p>
<p>${strip(ends)}</p>
${row?.last_failure ? await failure(visitor, row.last_failure) : false}
${ends.length > 0 && html`<details><summary>Last runs as a table</summary>${endTable(ends)}</details>`}</section>`
}

const wordsOf = (code: string): string => (isRunErrorCode(code) ? RUN_ERRORS[code] : code)

/** The run that failed last. An operator sees the ids of runs of all accounts. */
async function failure(visitor: Visitor, { at, code, run_id, account_id }: Failure): Promise<Html> {
  const { base, memberships } = visitor
  const isMember = memberships.some(({ accountId }) => accountId === account_id)
  const detail =
    isRunErrorCode(code) && FIXED_DETAILS[code] ? undefined : await detailOf(visitor, run_id, account_id)
  return html`<p>Last failure ${time(at)}: ${wordsOf(code)} <code>${code}</code></p>
${detail !== undefined && html`<figure class="reported"><figcaption>What came back</figcaption><blockquote>${words(detail)}</blockquote></figure>`}
<p class="hint">Run ${copyId(run_id, 'the id of the run')} of <a href="${base}/console/operator/accounts/${account_id}">${account_id}</a>${isMember && html` · <a href="${base}/console/${account_id}/runs/${run_id}">Open the run</a>`}</p>`
}

/** What the site answered, as far as the run kept it; undefined when it is unknown. */
async function detailOf(
  { deps, call }: Visitor,
  runId: Failure['run_id'],
  account: Failure['account_id'],
): Promise<string | undefined> {
  const run = await unlessAway(deps.runs.find(runId, account))
  const head = run && (await unlessAway(call.time.except(deps.runs.head(run.state))))
  return head?.detail || undefined
}

const endTable = (ends: readonly Telling[]): Html =>
  table(
    'Last runs',
    ['Ended', 'Counts as', 'How'],
    ends
      .toReversed()
      .map(({ at, good, code }) => [
        time(at),
        good ? 'good' : 'bad',
        code === null ? 'The run succeeded.' : html`${wordsOf(code)} <code>${code}</code>`,
      ]),
  )
