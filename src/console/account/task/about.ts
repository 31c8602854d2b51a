/**
 * What one wants to know before one runs a task: price, health, time, logins, the latest runs, and what it returns.
 *
 * @module
 */
import type { CatalogueTask } from '../../../catalogue/catalogue.ts'
import { loginNeed } from '../../../catalogue/login-need.ts'
import { priceInWords, priceText } from '../../../catalogue/price-text.ts'
import { standingsUnlessAway } from '../../../health/standings.ts'
import { type Html, html, words } from '../../../html.ts'
import { operationOf } from '../../../http/routes/tasks.ts'
import { sentence } from '../../components/forms.ts'
import { healthSentence } from '../../components/health.ts'
import { badge } from '../../components/parts.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { inLabels } from './correction.ts'
import { historyOf } from './history.ts'
import { depends } from './price.ts'

export async function aboutTask(visitor: AccountVisitor, task: CatalogueTask): Promise<Html> {
  const { deps, base } = visitor
  const [[standing], { list, usual }, login] = await Promise.all([
    standingsUnlessAway(deps, [task]),
    historyOf(visitor, task),
    loginText(visitor, task),
  ])
  const { health = 'unknown', since = null, drift = [] } = standing ?? {}
  const fields = drift.map(({ field }) => field)
  const { access } = task.declaration
  const inFormWords = (text: string) => words(inLabels(text, task.inputSchema))
  return html`<aside class="about" aria-label="About this task">
<dl class="card about-facts">
<div><dt>Price</dt><dd>${priceText(task)}${depends(task) && html` <span class="hint about-note">${inFormWords(sentence(priceInWords(task)))}</span>`}</dd></div>
<div><dt>Health</dt><dd>${health === 'unknown' ? html`Not known` : badge(health)} <span class="hint about-note">${healthSentence(health, since, fields)}</span> <a class="about-note" href="${base}/status#${task.key}">Its last days</a></dd></div>
${usual !== undefined && html`<div><dt>Usual time</dt><dd>${usual} <span class="hint about-note">Half of your latest runs were faster.</span></dd></div>`}
<div><dt>Login</dt><dd>${login}${access !== undefined && html` <span class="hint about-note">${inFormWords(access)}</span>`}</dd></div>
<div><dt>Reference</dt><dd><a href="${base}/docs#${operationOf(task.key)}">This call in the API reference</a></dd></div>
</dl>
<section><h2>Latest runs</h2>${list}</section>
</aside>`
}

/** Whether a task needs a login, and whether the account has it. */
async function loginText({ deps, own, accountId }: AccountVisitor, task: CatalogueTask): Promise<Html> {
  const need = loginNeed(deps.config, task)
  if (need === 'none') return html`Not needed`
  const [login] = await deps.logins.list(accountId, [task.source.name])
  const isReady = login?.state === 'ready'
  return html`${need === 'needed' ? 'Needed' : 'Optional'}, <a href="${own}/logins">${isReady ? 'signed in' : 'not signed in'}</a>`
}
