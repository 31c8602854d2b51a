/**
 * The filters of the list of runs, which stand in its address.
 *
 * @module
 */
import { keys } from '../../../../projections/keys.ts'
import type { Catalogue } from '../../../catalogue/catalogue.ts'
import { parseKeyId } from '../../../domain/ids.ts'
import { RUN_STATUSES } from '../../../domain/run.ts'
import { type Html, html } from '../../../html.ts'
import { statusNamed } from '../../../http/routes/runs.ts'
import { field, select } from '../../components/forms.ts'
import { dayIn } from '../../time-zone.ts'
import type { AccountVisitor } from '../../visitor.ts'

export type Filters = {
  /** the states to show, each once; all if it is empty */
  readonly statuses: readonly string[]
  readonly task: string | undefined
  /** the first and the last day, in the zone of the visitor */
  readonly from: string | undefined
  readonly to: string | undefined
  /** `me`, or the id of a key */
  readonly by: string | undefined
  /** the start of an id, or words of a title */
  readonly q: string
}

const LONGEST_SEARCH = 200
/** The newest keys are choices. */
const MOST_KEYS = 100

/** The filters in an address. What is no filter is ignored. */
export function filtersIn(query: URLSearchParams, catalogue: Catalogue): Filters {
  const statuses = new Set(query.getAll('status').flatMap((text) => statusNamed(text) ?? []))
  const by = query.get('by') ?? ''
  return {
    statuses: statuses.size === RUN_STATUSES.length ? [] : [...statuses],
    task: catalogue.get(query.get('task_key') ?? '')?.key,
    from: dayIn(query.get('from') ?? ''),
    to: dayIn(query.get('to') ?? ''),
    by: by === 'me' ? by : parseKeyId(by),
    q: (query.get('q') ?? '').trim().slice(0, LONGEST_SEARCH),
  }
}

/** The address of a list with these filters, without its path. */
export function queryOf({ statuses, task, from, to, by, q }: Filters): URLSearchParams {
  const query = new URLSearchParams(statuses.map((status) => ['status', status]))
  for (const [name, value] of Object.entries({ task_key: task, from, to, by, q }))
    if (value) query.set(name, value)
  return query
}

/** The form of the filters. It is folded on a phone. */
export async function filterForm(visitor: AccountVisitor, filters: Filters, zone: string): Promise<Html> {
  const { deps, own, accountId } = visitor
  const { statuses, task, from, to, by, q } = filters
  const latest = { equals: [accountId], order: 'descending', limit: MOST_KEYS } as const
  const offered = await deps.readModels.list(keys, 'by_account', latest)
  const other = by !== undefined && by !== 'me' && !offered.some(({ key_id }) => key_id === by)
  const chips = RUN_STATUSES.map(
    (status) =>
      html`<label class="chip"><input type="checkbox" name="status" value="${status}"${statuses.includes(status) && html` checked`}> ${status}</label>`,
  )
  const tasks = deps.catalogue.tasks.map(({ key, declaration }) => [key, declaration.title] as const)
  const starters = offered.map(({ key_id, name, prefix }): [string, string] => [
    key_id,
    name === null ? `key ${prefix}…` : `${name} (${prefix}…)`,
  ])
  if (other) starters.push([by, by])
  const set = [...queryOf({ ...filters, q: '' })].length
  return html`<form method="get" action="${own}/runs" class="run-filters">
<div class="run-search" role="search"><label class="words" for="q">Title or id</label><input id="q" name="q" type="search" value="${q}" placeholder="Title or id" autocomplete="off"><button class="quiet">Search</button></div>
<details class="fold"${set > 0 && html` open`}><summary>Filters${set > 0 && ` (${set})`}</summary>
<fieldset class="chips"><legend class="words">State</legend>${chips}</fieldset>
<div class="filters">
${select({ name: 'task_key', label: 'Task', value: task ?? '', choices: [['', 'any'], ...tasks] })}
${select({ name: 'by', label: 'Started by', value: by ?? '', choices: [['', 'anybody'], ['me', 'me'], ...starters] })}
${field({ name: 'from', label: 'From', type: 'date', value: from })}${field({ name: 'to', label: 'To', type: 'date', value: to })}
<button class="quiet">Filter</button>${set > 0 && html` <a class="button quiet" href="${own}/runs">Clear</a>`}
<p class="hint">Days are those of the time zone ${zone}.</p>
</div></details>
</form>`
}
