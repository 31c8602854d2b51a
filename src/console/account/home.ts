/**
 * The home page of an account: balance, runs under way, last failures, and for an empty account the first steps.
 *
 * @module
 */
import { health } from '../../../projections/health.ts'
import { type RunRow, runs } from '../../../projections/runs.ts'
import { RUN_ERRORS, type RunErrorCode, whatToDo } from '../../domain/codes.ts'
import { healthOf } from '../../domain/health.ts'
import { mayAs } from '../../domain/roles.ts'
import { isEnded } from '../../domain/run.ts'
import { copyable, type Html, html } from '../../html.ts'
import { page as listPage } from '../../http/lists.ts'
import { unlessAway } from '../../log/away.ts'
import type { WebhookRecord } from '../../webhooks/endpoints/record.ts'
import { alert, badge, count, empty, facts, table, time } from '../components/parts.ts'
import { page } from '../layout.ts'
import { accountRoute } from '../route.ts'
import type { AccountVisitor } from '../visitor.ts'
import { lowBalance } from './credits/level.ts'
import { runTable } from './run-rows.ts'
import { REASONS, webhooksPath } from './webhooks.ts'

export const homePages = [accountRoute('GET', '', 'viewer', home)]

const FEW = 5
/** Limit of counted runs under way, for each state. */
const MOST_OPEN = 200
/** Number of latest runs that are searched for failures and tasks. */
const LATEST = 100

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
  const body = html`${account.suspended && alert('The operator has suspended this account: it can read, but it cannot start runs.')}
${lowBalance(account, `${own}/credits`)}
${await webhookWarnings(visitor)}
${facts([
  ['Credits', html`<a href="${own}/credits">${count(account.balance)}</a>`],
  ['Runs under way', open.length < MOST_OPEN ? count(open.length) : `${count(MOST_OPEN)} or more`],
  ['Account', html`<code>${accountId}</code>`],
])}
${
  rows.length === 0
    ? mayAs(role, 'member')
      ? firstSteps(visitor)
      : empty('There are no runs yet.')
    : html`<h2>Under way</h2><div id="open" data-live-part>${runTable(visitor, 'Runs under way', open.slice(0, FEW), 'Nothing is running.', false)}</div>
${
  failed.length > 0 &&
  html`<h2>Last failures</h2>${table(
    'Last failures',
    ['Task', 'Ended', 'Why', 'What to do'],
    failed.map(({ runId, taskKey, finishedAt, code }) => [
      html`<a href="${own}/runs/${runId}">${taskKey}</a>`,
      time(finishedAt),
      RUN_ERRORS[code as RunErrorCode] ?? code ?? '',
      whatToDo(code),
    ]),
  )}`
}
${await sources(visitor, [...new Set(rows.map(({ task_key }) => task_key))])}`
}`
  return page(visitor, { title: account.name, body, live: `${own}/changes` })
}

/** Warns of failing webhooks. Without this, people would notice only missing events. */
async function webhookWarnings(visitor: AccountVisitor) {
  // If the webhooks cannot be read, the page is shown without warnings.
  const webhooks = (await unlessAway(visitor.deps.webhooks.list(visitor.accountId))) ?? []
  return webhooks
    .filter(({ failing_since, disabled_reason }) => failing_since !== null || isBroken(disabled_reason))
    .map((webhook) => {
      const link = html`<a href="${webhooksPath(visitor)}/${webhook.webhook_id}">${new URL(webhook.url).host}</a>`
      return webhook.state === 'disabled'
        ? alert(html`The webhook ${link} is disabled: ${REASONS[webhook.disabled_reason ?? 'requested']}`)
        : html`<p class="notice">The webhook ${link} has been failing since ${time(webhook.failing_since)}.</p>`
    })
}

const isBroken = (reason: WebhookRecord['disabled_reason']) => reason === 'gone' || reason === 'failing'

/** Runs that have not ended, newest first. */
async function openRuns({ deps, accountId }: AccountVisitor): Promise<RunRow[]> {
  const lists = await Promise.all(
    ['queued', 'running', 'cancelling'].map((status) =>
      deps.readModels.list(runs, 'by_status', {
        equals: [accountId, status],
        order: 'descending',
        limit: MOST_OPEN,
      }),
    ),
  )
  return lists.flat().toSorted((a, b) => b.created - a.created)
}

async function sources({ deps, own }: AccountVisitor, tasks: readonly string[]): Promise<Html> {
  const rows = await deps.readModels.getMany(health, tasks)
  return html`<h2>Health of the tasks you use</h2><ul class="tags">${tasks.map(
    (task, i) =>
      html`<li><a href="${own}/tasks/${task}">${task}</a> ${badge(healthOf(rows[i]?.ends ?? [], deps.now()))}</li>`,
  )}</ul>`
}

function firstSteps({ own, deps }: AccountVisitor): Html {
  const curl = `export GLEANER_API_KEY=gln_…   # the key of step 2
curl ${deps.config.publicUrl}/v1/encyclopedia/search \\
  -H "Authorization: Bearer $GLEANER_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"query": "otter"}'`
  return html`<h2>First steps</h2><ol class="steps">
<li><h3>Run a task here</h3><p>Choose a task, fill in its form and follow the run to its items.</p><p><a class="button" href="${own}/tasks">Browse the tasks</a></p></li>
<li><h3>Create an API key</h3><p>Your programs need one. It is shown once.</p><p><a class="button quiet" href="${own}/keys">Create a key</a></p></li>
<li><h3>Call the API</h3>${copyable(curl, 'A first call with curl')}</li>
</ol>`
}
