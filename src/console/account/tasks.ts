/**
 * The catalogue: all tasks, by source, with their prices and health.
 *
 * @module
 */
import { health } from '../../../projections/health.ts'
import type { CatalogueTask } from '../../catalogue/catalogue.ts'
import { allowsTask } from '../../domain/account.ts'
import { healthOf } from '../../domain/health.ts'
import { html } from '../../html.ts'
import { field } from '../components/forms.ts'
import { badge, empty, heading } from '../components/parts.ts'
import type { ConsoleDeps } from '../deps.ts'
import { type InAccount, inAccount } from '../frame.ts'
import { page } from '../layout.ts'
import type { PageRoute } from '../route.ts'

export const tasksRoutes = (deps: ConsoleDeps): PageRoute[] => [
  {
    method: 'GET',
    path: '/console/:account/tasks',
    handle: async (call) => show(await inAccount(deps, call)),
  },
]

async function show(given: InAccount): Promise<Response> {
  const { deps, base, accountId, account, call } = given
  const words = (new URL(call.request.url).searchParams.get('q') ?? '').trim().toLowerCase().slice(0, 100)
  const tasks = deps.catalogue.tasks.filter((task) => textOf(task).includes(words))
  const rows = await deps.readModels.getMany(
    health,
    tasks.map(({ key }) => key),
  )
  const states = new Map(tasks.map(({ key }, i) => [key, healthOf(rows[i]?.ends ?? [], deps.now())]))
  const sources = [...Map.groupBy(tasks, ({ source }) => source.title)]
  const own = `${base}/console/${accountId}`
  const body = html`${heading('Tasks', false, 'What can be collected. Choose one to fill in its form.')}
<form method="get" action="${own}/tasks" class="search" role="search">${field({ name: 'q', label: 'Search', type: 'search', value: words })}<button class="quiet">Search</button></form>
${sources.length === 0 && empty('No task matches these words.', html`<p><a class="button quiet" href="${own}/tasks">Show all</a></p>`)}
${sources.map(
  ([title, all]) =>
    html`<h2>${title}</h2><ul class="cards">${all.map(
      (task) => html`<li class="card"><h3><a href="${own}/tasks/${task.key}">${task.task.title}</a></h3>
<p>${task.task.description}</p>
<p class="hint"><code>${task.key}</code> · ${priceOf(task)} · ${badge(states.get(task.key) ?? 'unknown')}${!allowsTask(account.tasks, task.key) && html` · not among this account's tasks`}</p></li>`,
    )}</ul>`,
)}`
  return page(given, { title: 'Tasks', body, at: '/tasks' })
}

const textOf = ({ key, task, source }: CatalogueTask): string =>
  `${key} ${task.title} ${task.description} ${source.title}`.toLowerCase()

/** The price in words. */
export function priceOf({ creditCost, task }: CatalogueTask): string {
  const credits = `${creditCost} ${creditCost === 1 ? 'credit' : 'credits'}`
  return typeof task.price === 'number' ? credits : `from ${credits}`
}
