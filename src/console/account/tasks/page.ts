/**
 * The catalogue: all tasks, by source, with their prices, logins and health. A script searches while one types.
 *
 * @module
 */
import { runs } from '../../../../projections/runs.ts'
import type { CatalogueTask } from '../../../catalogue/catalogue.ts'
import { loginNeed } from '../../../catalogue/login-need.ts'
import { priceText } from '../../../catalogue/price-text.ts'
import { allowsTask } from '../../../domain/account.ts'
import { mayAs } from '../../../domain/roles.ts'
import { type Standing, standingsUnlessAway } from '../../../health/standings.ts'
import { type Html, html, words } from '../../../html.ts'
import { page as listPage } from '../../../http/lists.ts'
import { listed } from '../../../http/routes/runs.ts'
import { unlessAway } from '../../../log/away.ts'
import { field, select } from '../../components/forms.ts'
import { healthSentence, worries } from '../../components/health.ts'
import { badge, counted, empty } from '../../components/parts.ts'
import { page } from '../../layout.ts'
import { accountRoute } from '../../route.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { matching } from './search.ts'

export const tasksPages = [accountRoute('GET', '/tasks', 'viewer', show)]

/** Latest runs that are searched for tasks used lately. */
const LATEST = 50
const MOST_LATELY = 4

async function show(visitor: AccountVisitor): Promise<Response> {
  const { deps, own, role, url } = visitor
  const { catalogue } = deps
  const query = (url.searchParams.get('q') ?? '').trim().slice(0, 100)
  const source = catalogue.source(url.searchParams.get('source') ?? '')
  const within = catalogue.tasks.filter((task) => !source || task.source === source)
  const tasks = matching(query, within.map(textOf)).map((i) => within[i]!)
  const isFiltered = query !== '' || source !== undefined
  const [standings, lately] = await Promise.all([
    standingsUnlessAway(deps, tasks),
    isFiltered ? [] : usedLately(visitor),
  ])
  const states = new Map(standings.map((standing) => [standing.task, standing]))
  const row = (task: CatalogueTask) => rowOf(visitor, task, states.get(task))
  const groups = [...Map.groupBy(tasks, (task) => task.source.title)]
  const sources = catalogue.sources.map(({ name, title }) => [name, title] as const)
  const amount = counted(tasks.length, 'task')
  const body = html`<form method="get" action="${own}/tasks" class="filters" role="search" id="catalogue-search">
${field({ name: 'q', label: 'Search', type: 'search', value: query, autocomplete: 'off' })}
${select({ name: 'source', label: 'Source', value: source?.name ?? '', choices: [['', 'all'], ...sources] })}
<button class="quiet">Search</button></form>
<p class="hint" role="status" id="catalogue-count">${isFiltered ? html`${amount} of ${catalogue.tasks.length}. <a href="${own}/tasks">Show all</a>` : amount}</p>
<div id="catalogue">
${tasks.length === 0 && empty('No task matches these words.', html`<p>Try the name of a site, or what you look for: “videos”, “homes”, “posts”.</p>`)}
${lately.length > 0 && group('Used lately', lately.map(row))}
${groups.map(([title, all]) => group(title, all.map(row)))}
</div>`
  const lead = mayAs(role, 'member')
    ? 'All data that can be collected. Choose a task to fill in its form.'
    : 'All data that can be collected.'
  return page(visitor, { title: 'Tasks', lead, body })
}

const group = (title: string, rows: readonly Html[]): Html =>
  html`<section class="tasks"><h2>${title}</h2><ul>${rows}</ul></section>`

function rowOf(
  { own, account, deps }: AccountVisitor,
  task: CatalogueTask,
  standing: Standing | undefined,
): Html {
  const { title, description } = task.declaration
  const need = loginNeed(deps.config, task)
  const marks = [
    need === 'needed' && html`<span class="badge warn">needs login</span>`,
    need === 'optional' && html`<span class="badge">more with a login</span>`,
    standing && worries(standing.health) > 0 && taskHealth(standing),
    !allowsTask(account.tasks, task.key) && html`<span class="badge">not enabled for this account</span>`,
  ]
  return html`<li><div class="task-name"><a href="${own}/tasks/${task.key}">${title}</a> <code>${task.key}</code></div>
<p>${words(firstSentence(description))}</p>
<div class="task-marks">${marks.map((mark) => mark && html`${mark} `)}</div><div class="task-price">${priceText(task)}</div></li>`
}

const taskHealth = ({ health, since, drift }: Standing): Html =>
  html`${badge(health)} <span class="hint">${healthSentence(
    health,
    since,
    drift.map(({ field }) => field),
  )}</span>`

/** The tasks of the account's latest runs, latest first. None while the list of runs is unavailable. */
async function usedLately({ deps, accountId }: AccountVisitor): Promise<CatalogueTask[]> {
  const latest = await unlessAway(
    listPage(deps, runs, listed(accountId, undefined, undefined), { limit: LATEST }),
  )
  const keys = new Set(latest?.rows.map(({ run }) => run.taskKey))
  return [...keys].flatMap((key) => deps.catalogue.get(key) ?? []).slice(0, MOST_LATELY)
}

/** The others are about the call. */
const firstSentence = (text: string): string => text.split(/(?<=[.!?]) /)[0] ?? ''

const textOf = ({ key, declaration: task, source }: CatalogueTask): string =>
  `${key} ${task.title} ${task.description} ${source.title}`
