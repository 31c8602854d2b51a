/**
 * The home page of an account: its balance, runs and failures, what it spent, and for a new account the first steps.
 *
 * @module
 */
import { keys } from '../../../projections/keys.ts'
import { runs } from '../../../projections/runs.ts'
import { mayAs } from '../../domain/roles.ts'
import { type AdmittedRun, isEnded } from '../../domain/run.ts'
import { standingsUnlessAway } from '../../health/standings.ts'
import { type Html, html } from '../../html.ts'
import { page as listPage } from '../../http/lists.ts'
import { unlessAway } from '../../log/away.ts'
import type { WebhookRecord } from '../../webhooks/endpoints/record.ts'
import { chart } from '../components/chart.ts'
import { copyId } from '../components/copy-id.ts'
import { dayLabel, shortDay } from '../components/dates.ts'
import { healthBadge, worries } from '../components/health.ts'
import { alert, count, empty, facts, time } from '../components/parts.ts'
import { page } from '../layout.ts'
import { accountRoute } from '../route.ts'
import { Days, zoneOf } from '../time-zone.ts'
import type { AccountVisitor } from '../visitor.ts'
import { lowBalance } from './credits/level.ts'
import { totalsOf, usageOf } from './credits/usage.ts'
import { firstSteps } from './first-steps.ts'
import { failedRows } from './run/failed-rows.ts'
import { mergedBy } from './runs/read.ts'
import { runTable } from './runs/rows.ts'
import { nameFor, REASONS, webhooksPath } from './webhooks/names.ts'

export const homePages = [accountRoute('GET', '', 'viewer', home)]

const FEW = 5
/** Limit of counted runs under way, for each state. */
const MOST_OPEN = 1000
/** Number of latest runs that are searched for failures and tasks. */
const LATEST = 100
const SPENT_DAYS = 30

async function home(visitor: AccountVisitor): Promise<Response> {
  const { deps, own, accountId, account, role } = visitor
  const equals = [accountId]
  const { rows } = await listPage(deps, runs, { index: 'by_account', equals }, { limit: LATEST })
  const open = await openRuns(visitor)
  const failed = rows
    .map(({ run }) => run)
    .filter(isEnded)
    .filter(({ code }) => code !== null)
    .slice(0, FEW)
  const mayRun = mayAs(role, 'member')
  const [key] = await deps.readModels.list(keys, 'by_account', { equals, order: 'descending', limit: 1 })
  const done = { hasRun: rows.length > 0, hasKey: key !== undefined }
  const shown = new Set(open.newest.map(({ runId }) => runId))
  const latest = rows
    .map(({ run }) => run)
    .filter(({ runId }) => !shown.has(runId))
    .slice(0, FEW)
  const used = [...new Set(rows.map(({ task_key }) => task_key))]
  const body = html`${account.suspended && alert('The operator has suspended this account: it can read, but it cannot start runs.')}
${lowBalance(account, `${own}/credits`)}
${await webhookWarnings(visitor)}
<div id="figures" data-live-part>${facts([
    ['Credits', html`<a href="${own}/credits">${count(account.balance)}</a>`],
    ['Runs under way', open.count < MOST_OPEN ? count(open.count) : `${count(MOST_OPEN)} or more`],
    ['Account', copyId(accountId, 'the id of the account')],
  ])}</div>
${mayRun && !(done.hasRun && done.hasKey) && firstSteps(visitor, done)}
${
  done.hasRun
    ? html`<div id="open" data-live-part>${await section(visitor, open.newest, UNDER_WAY, open.count > FEW)}</div>
<div id="latest" data-live-part>${await section(visitor, latest, LATEST_RUNS)}</div>
${await failedRows(visitor, failed)}${await spent(visitor)}${await sources(visitor, used)}`
    : !mayRun && empty('There are no runs yet.')
}`
  const actions = mayRun && done.hasRun && html`<p><a class="button" href="${own}/tasks">New run</a></p>`
  return page(visitor, { title: 'Home', lead: account.name, actions, body, live: `${own}/changes` })
}

/** A table of runs, and a link to all of them. */
type Listed = { readonly title: string; readonly query: string; readonly label: string }
const UNDER_WAY: Listed = {
  title: 'Under way',
  query: '?status=queued&status=running&status=cancelling',
  label: 'All runs under way',
}
const LATEST_RUNS: Listed = { title: 'Latest runs', query: '', label: 'All runs' }

/** A table of runs; false without any. @param isPart whether there are more, which a link leads to */
async function section(
  visitor: AccountVisitor,
  shown: readonly AdmittedRun[],
  { title, query, label }: Listed,
  isPart = true,
): Promise<Html | false> {
  if (shown.length === 0) return false
  const rows = await runTable(visitor, { label: title, runs: shown, none: html`` })
  return html`<h2>${title}</h2>${rows}${isPart && html`<p><a href="${visitor.own}/runs${query}">${label}</a></p>`}`
}

/** What the account spent lately. It is left out if nothing was spent, or if it cannot be read. */
async function spent(visitor: AccountVisitor): Promise<Html | false> {
  const days = new Days(zoneOf(visitor.call.request))
  const usage = await unlessAway(usageOf(visitor.deps, visitor.accountId, days, SPENT_DAYS, 'task'))
  const values = usage && totalsOf(usage)
  if (!usage || !values || values.every((value) => value === 0)) return false
  const drawn = chart({
    id: 'spent',
    caption: `Credits spent by day, less refunds, in the last ${SPENT_DAYS} days (${days.zone})`,
    columns: usage.days.map((day) => ({ short: shortDay(day), full: dayLabel(day) })),
    series: [{ name: 'All', values }],
    noun: 'credit',
    column: 'Day',
    hasLegend: false,
  })
  return html`<h2>Spending</h2><div class="home-chart">${drawn}</div><p><a href="${visitor.own}/credits">Spending by task, key and person</a></p>`
}

/** Warns of failing webhooks. Without this, people would notice only missing events. */
async function webhookWarnings(visitor: AccountVisitor) {
  // If the webhooks cannot be read, the page is shown without warnings.
  const webhooks = (await unlessAway(visitor.deps.webhooks.list(visitor.accountId))) ?? []
  return webhooks
    .filter(({ failing_since, disabled_reason }) => failing_since !== null || isBroken(disabled_reason))
    .map((webhook) => {
      const link = html`<a href="${webhooksPath(visitor)}/${webhook.webhook_id}">${nameFor(visitor, webhook)}</a>`
      return webhook.state === 'disabled'
        ? alert(html`The webhook ${link} is disabled: ${REASONS[webhook.disabled_reason ?? 'requested']}`)
        : html`<p class="notice warn">The webhook ${link} has been failing since ${time(webhook.failing_since)}.</p>`
    })
}

const isBroken = (reason: WebhookRecord['disabled_reason']) => reason === 'gone' || reason === 'failing'

/** The newest runs that have not ended, and how many there are. */
async function openRuns({
  deps,
  accountId,
}: AccountVisitor): Promise<{ newest: AdmittedRun[]; count: number }> {
  const parts = await Promise.all(
    ['queued', 'running', 'cancelling'].map(async (status) => {
      const query = { equals: [accountId, status], order: 'descending' } as const
      const list = { ...query, limit: FEW }
      return {
        rows: await deps.readModels.list(runs, 'by_status', list),
        count: await deps.readModels.count(runs, 'by_status', { ...query, limit: MOST_OPEN }),
      }
    }),
  )
  const lists = parts.map(({ rows }) => rows)
  const newest = mergedBy(({ created }) => created, 'descending', lists, FEW)
  return { newest: newest.map(({ run }) => run), count: parts.reduce((sum, part) => sum + part.count, 0) }
}

async function sources({ deps, own, base, person }: AccountVisitor, used: readonly string[]): Promise<Html> {
  const tasks = used.flatMap((key) => deps.catalogue.get(key) ?? [])
  const standings = await standingsUnlessAway(deps, tasks)
  const isBad = standings.some(({ health }) => worries(health) > 0)
  return html`<h2>Health of the tasks you use</h2><ul class="tags">${standings.map(
    ({ task, health, drift }) =>
      html`<li><a href="${own}/tasks/${task.key}">${task.declaration.title}</a> ${healthBadge(
        health,
        drift.map(({ field }) => field),
      )}</li>`,
  )}</ul><p class="hint"><a href="${base}/status">Status of all tasks</a>${isBad && person.isOperator && html` · Operators see the reasons in <a href="${base}/console/operator/sources">Sources</a>.`}</p>`
}
