/**
 * The runs of an account, newest first, filtered by the query.
 *
 * @module
 */
import { runs } from '../../../projections/runs.ts'
import { mayAs } from '../../domain/roles.ts'
import { RUN_STATUSES } from '../../domain/run.ts'
import { html } from '../../html.ts'
import { page as listPage } from '../../http/lists.ts'
import { listed, statusNamed } from '../../http/routes/runs.ts'
import { field, select } from '../components/forms.ts'
import { more } from '../components/parts.ts'
import { page } from '../layout.ts'
import { accountRoute } from '../route.ts'
import { Days, dayIn, zoneOf } from '../time-zone.ts'
import type { AccountVisitor } from '../visitor.ts'
import { runTable } from './run-rows.ts'

export const runsPages = [accountRoute('GET', '/runs', 'viewer', show)]

const PAGE = 50
/** Limit of rows that are scanned to fill a page with runs of a period. */
const MOST_PASSED = 2000

async function show(visitor: AccountVisitor): Promise<Response> {
  const { deps, own, accountId, role } = visitor
  const { searchParams } = visitor.url
  const status = statusNamed(searchParams.get('status'))
  const task = deps.catalogue.get(searchParams.get('task_key') ?? '')?.key
  const [from, to] = ['from', 'to'].map((name) => dayIn(searchParams.get(name) ?? ''))
  const days = new Days(zoneOf(visitor.call.request))
  const start = from === undefined ? Number.NEGATIVE_INFINITY : days.start(from)
  const end = to === undefined ? Number.POSITIVE_INFINITY : days.end(to)
  const which = listed(accountId, status, task)
  const within = (createdAt: string) => Date.parse(createdAt) >= start && Date.parse(createdAt) <= end
  let cursor = searchParams.get('cursor') ?? undefined
  const rows = []
  let next: string | null = null
  for (let passed = 0; rows.length < PAGE && passed < MOST_PASSED; passed += PAGE) {
    const part = await listPage(deps, runs, which, { limit: PAGE, cursor })
    rows.push(...part.rows.filter(({ run }) => within(run.createdAt)))
    next = part.next
    const last = part.rows.at(-1)?.run.createdAt
    // All older runs are before the period.
    if (last !== undefined && Date.parse(last) < start) next = null
    if (next === null) break
    cursor = next
  }
  const kept = Object.entries({ status, task_key: task, from, to }).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(kept as [string, string][])
  const older = next === null ? null : `${own}/runs?${new URLSearchParams([...query, ['cursor', next]])}`
  const isFiltered = kept.length > 0
  const body = html`<form method="get" action="${own}/runs" class="filters">
${select({ name: 'status', label: 'State', value: status ?? '', choices: [['', 'any'], ...RUN_STATUSES.map((each) => [each, each] as const)] })}
${select({ name: 'task_key', label: 'Task', value: task ?? '', choices: [['', 'any'], ...deps.catalogue.tasks.map(({ key }) => [key, key] as const)] })}
${field({ name: 'from', label: 'From', type: 'date', value: from })}${field({ name: 'to', label: 'To', type: 'date', value: to })}
<button class="quiet">Filter</button>${isFiltered && html` <a class="button quiet" href="${own}/runs">Clear</a>`}
</form>
<p class="hint">Days are those of the time zone ${days.zone}.</p>
${runTable(visitor, 'Runs', rows, isFiltered ? 'No run matches these filters.' : 'There are no runs yet.', true)}
${more(older)}`
  const actions = mayAs(role, 'member') && html`<p><a class="button" href="${own}/tasks">New run</a></p>`
  return page(visitor, { title: 'Runs', actions, body, live: `${own}/changes` })
}
