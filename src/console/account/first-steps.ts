/**
 * The first steps in an account: a run by one click, a key, a call of the API. They are shown until there are a run and
 * a key.
 *
 * @module
 */
import type { CatalogueTask } from '../../catalogue/catalogue.ts'
import { priceText } from '../../catalogue/price-text.ts'
import { allowsTask } from '../../domain/account.ts'
import { copyable, type Html, html } from '../../html.ts'
import { action } from '../components/forms.ts'
import { newSubmission } from '../form.ts'
import type { AccountVisitor } from '../visitor.ts'

/** What the account has done. */
export type Done = { readonly hasRun: boolean; readonly hasKey: boolean }

export function firstSteps(visitor: AccountVisitor, { hasRun, hasKey }: Done): Html {
  const { own, deps } = visitor
  const curl = `export GLEANER_API_KEY=gln_…   # the key of step 2
curl ${deps.config.publicUrl}/v1/encyclopedia/search \\
  -H "Authorization: Bearer $GLEANER_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"query": "otter"}'`
  return html`<h2>First steps</h2><ol class="steps">
${step('Run a task here', hasRun, tryNow(visitor))}
${step('Create an API key', hasKey, html`<p>Your programs need one. It is shown once.</p><p><a class="button${!hasRun && ' quiet'}" href="${own}/keys">Create a key</a></p>`)}
<li><h3>Call the API</h3>${copyable(curl, 'A first call with curl')}</li>
</ol>`
}

const step = (title: string, isDone: boolean, content: Html): Html =>
  isDone
    ? html`<li class="done"><h3>${title} <span class="hint">done</span></h3></li>`
    : html`<li><h3>${title}</h3>${content}</li>`

/** A button that runs the example of a cheap task. */
function tryNow({ own, deps, account }: AccountVisitor): Html {
  const allowed = deps.catalogue.tasks.filter(({ key }) => allowsTask(account.tasks, key))
  const task = firstTask(allowed.filter(({ creditCost }) => creditCost <= account.balance))
  const browse = html`<a class="button quiet" href="${own}/tasks">Browse the tasks</a>`
  const lead = 'Choose a task, fill in its form, run it, and watch the items arrive.'
  if (!task) return html`<p>${lead}</p><p>${browse}</p>`
  const { example, title } = task.declaration
  const form = { by: 'json', json: JSON.stringify(example), ...newSubmission() }
  return html`<p>${lead} Or start with this one: <strong>${[title, task.summary(example as Record<string, unknown>)].filter(Boolean).join(' · ')}</strong>.</p>
<div class="actions">${action(`${own}/tasks/${task.key}`, `Try this one now for ${priceText(task)}`, form, '')}${browse}</div>`
}

/** The task for a first run: the cheapest one with a fixed price that needs no login, a search before others. */
export const firstTask = (tasks: readonly CatalogueTask[]): CatalogueTask | undefined =>
  tasks
    .filter(
      ({ declaration }) => typeof declaration.price === 'number' && declaration.needs?.login === undefined,
    )
    .toSorted(
      (a, b) =>
        a.creditCost - b.creditCost ||
        Number(b.key.endsWith('.search')) - Number(a.key.endsWith('.search')) ||
        (a.key < b.key ? -1 : 1),
    )[0]
