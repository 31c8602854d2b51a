/**
 * The catalogue: all tasks, by source, with their prices and health.
 *
 * @module
 */
import type { CatalogueTask } from '../../catalogue/catalogue.ts'
import { priceText } from '../../catalogue/price-text.ts'
import { allowsTask } from '../../domain/account.ts'
import { mayAs } from '../../domain/roles.ts'
import { html, words } from '../../html.ts'
import { healthsOf } from '../../http/routes/tasks.ts'
import { field } from '../components/forms.ts'
import { badge, empty } from '../components/parts.ts'
import { page } from '../layout.ts'
import { accountRoute } from '../route.ts'
import type { AccountVisitor } from '../visitor.ts'

export const tasksPages = [accountRoute('GET', '/tasks', 'viewer', show)]

async function show(visitor: AccountVisitor): Promise<Response> {
  const { deps, own, account, role, url } = visitor
  const search = (url.searchParams.get('q') ?? '').trim().toLowerCase().slice(0, 100)
  const tasks = deps.catalogue.tasks.filter((task) => textOf(task).includes(search))
  const healths = await healthsOf(deps, tasks)
  const states = new Map(tasks.map(({ key }, i) => [key, healths[i]]))
  const sources = [...Map.groupBy(tasks, ({ source }) => source.title)]
  const body = html`<form method="get" action="${own}/tasks" class="filters" role="search">${field({ name: 'q', label: 'Search', type: 'search', value: search })}<button class="quiet">Search</button></form>
${sources.length === 0 && empty('No task matches these words.', html`<p><a class="button quiet" href="${own}/tasks">Show all</a></p>`)}
${sources.map(
  ([title, all]) =>
    html`<h2>${title}</h2><ul class="cards">${all.map(
      (
        task,
      ) => html`<li class="card"><h3><a href="${own}/tasks/${task.key}">${task.declaration.title}</a></h3>
<p>${words(task.declaration.description)}</p>
<p class="hint"><code>${task.key}</code> · ${priceText(task)} · ${badge(states.get(task.key) ?? 'unknown')}${!allowsTask(account.tasks, task.key) && html` · not enabled for this account`}</p></li>`,
    )}</ul>`,
)}`
  const lead = mayAs(role, 'member')
    ? 'All data that can be collected. Choose a task to fill in its form.'
    : 'All data that can be collected.'
  return page(visitor, { title: 'Tasks', lead, body })
}

const textOf = ({ key, declaration: task, source }: CatalogueTask): string =>
  `${key} ${task.title} ${task.description} ${source.title}`.toLowerCase()
