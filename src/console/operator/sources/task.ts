/**
 * How a task works: its state, the fields that it lost, its last runs and days, and the last failure with what the site
 * said.
 *
 * @module
 */
import { FIXED_DETAILS, isCapturedCode, isRunErrorCode, RUN_ERRORS } from '../../../domain/codes.ts'
import type { Drift } from '../../../domain/health/drift.ts'
import type { Telling } from '../../../domain/health/ends.ts'
import { badEndsOf, type Health } from '../../../domain/health/standing.ts'
import type { Obstacle } from '../../../health/canary/obstacles.ts'
import type { Capture } from '../../../health/captures/list.ts'
import { daysOf } from '../../../health/days.ts'
import { latestFill } from '../../../health/latest-fill.ts'
import { baselineOf, type Standing } from '../../../health/standings.ts'
import { type Html, html, words } from '../../../html.ts'
import { unlessAway } from '../../../log/away.ts'
import { copyId } from '../../components/copy-id.ts'
import { lastDays } from '../../components/dates.ts'
import { relative } from '../../components/durations.ts'
import { healthBadge, strip } from '../../components/health.ts'
import { time } from '../../components/parts.ts'
import type { Visitor } from '../../visitor.ts'
import { accountLink } from '../account-link.ts'
import { canaryText } from './canary.ts'
import { dayCharts } from './days.ts'
import { fieldFills, fieldTable, shareText } from './fields.ts'

type Failure = NonNullable<NonNullable<Standing['row']>['last_failure']>

/** How many days are shown, today included. */
const DAYS = 30

type Around = {
  /** why the canary does not try the task; undefined when it does */
  readonly obstacle: Obstacle | undefined
  /** the task's newest one */
  readonly capture: Capture | undefined
}

export async function taskSection(
  visitor: Visitor,
  standing: Standing,
  { obstacle, capture }: Around,
): Promise<Html> {
  const { deps } = visitor
  const { task, row, health, since, drift } = standing
  const ends = row?.ends ?? []
  const { title } = task.declaration
  const days = await daysOf(deps, task, DAYS)
  const fills = fieldFills(task.fields, baselineOf(row, task), latestFill(row, task), days, drift)
  return html`<section class="card task-health" id="${task.key}"><h3>${title} <code>${task.key}</code></h3>
<p>${healthBadge(health)}${since !== null && html` <span class="hint">since ${time(since)}</span>`}</p>
${nextSteps(visitor, standing, capture)}
${drift.length > 0 && driftTable(title, drift)}
<p>${strip(ends)}</p>
${row?.last_failure ? await failure(visitor, row.last_failure, health) : false}
<p class="hint">${canaryText(visitor, row?.canary ?? null, obstacle)}</p>
${dayCharts(title, lastDays(deps.now(), DAYS), days)}
${days.length > 0 && fieldTable(title, fills)}
${ends.length > 0 && html`<details><summary>Last runs as a table</summary>${endTable(title, ends)}</details>`}</section>`
}

/** What the operator does when the parser needs mending. */
function nextSteps(
  { deps, base }: Visitor,
  { task, row, health, drift }: Standing,
  capture: Capture | undefined,
): Html | false {
  const isUnread = badEndsOf(row?.ends ?? [], deps.now()).some(({ code }) => isCapturedCode(code))
  if (drift.length === 0 && !(health === 'broken' && isUnread)) return false
  const path = `${base}/console/operator/sources/${task.source.name}/captures`
  const seen =
    capture &&
    html`<a href="${path}/${capture.id}">The newest capture</a> shows what the source answered ${relative(capture.at, deps.now())}. `
  return html`<p>${seen}Gather what mending the parser needs: ${copyId(`npm run gleaner -- repair ${task.key}`, 'the command')}</p>`
}

/** The fields that lost their values. */
const driftTable = (title: string, drift: readonly Drift[]): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${title}: fields that lost their values"><table class="days numbers"><thead><tr><th scope="col">Field</th><th scope="col">Usual</th><th scope="col">Last runs</th></tr></thead><tbody>${drift.map(({ field, was, now }) => html`<tr><th scope="row"><code>${field}</code></th><td>${shareText(was)}</td><td>${shareText(now)}</td></tr>`)}</tbody></table></div>`

const wordsOf = (code: string): string => (isRunErrorCode(code) ? RUN_ERRORS[code] : code)

/** The run that failed last. An operator sees the ids of runs of all accounts. */
async function failure(
  visitor: Visitor,
  { at, code, run_id, account_id }: Failure,
  health: Health,
): Promise<Html> {
  const { base, memberships } = visitor
  const isMember = memberships.some(({ accountId }) => accountId === account_id)
  const detail =
    isRunErrorCode(code) && FIXED_DETAILS[code] ? undefined : await detailOf(visitor, run_id, account_id)
  const said = html`${wordsOf(code)} <code>${code}</code>`
  const more = html`${detail !== undefined && html`<figure class="reported"><figcaption>What came back</figcaption><blockquote>${words(detail)}</blockquote></figure>`}
<p class="hint">Run ${copyId(run_id, 'the id of the run')} of ${await accountLink(visitor, account_id)}${isMember && html` · <a href="${base}/console/${account_id}/runs/${run_id}">Open the run</a>`}</p>`
  const isNow = health === 'broken' || health === 'degraded'
  return isNow
    ? html`<p>Last failure ${time(at)}: ${said}</p>${more}`
    : html`<details><summary>Last failure ${time(at)}</summary><p>${said}</p>${more}</details>`
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

const endTable = (task: string, ends: readonly Telling[]): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${task}: last runs"><table class="days"><thead><tr><th scope="col">Ended</th><th scope="col">Counts as</th><th scope="col">How</th></tr></thead><tbody>${ends
    .toReversed()
    .map(
      ({ at, good, code }) =>
        html`<tr><th scope="row">${time(at)}</th><td>${good ? 'good' : 'bad'}</td><td>${code === null ? 'The run succeeded.' : html`${wordsOf(code)} <code>${code}</code>`}</td></tr>`,
    )}</tbody></table></div>`
