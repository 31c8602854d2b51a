/**
 * The settings of an account: its name, and what it may do.
 *
 * @module
 */
import { html } from '../../html.ts'
import type { Call } from '../../http/endpoint.ts'
import { accountView } from '../../http/routes/account.ts'
import { nameIssue, tidyName } from '../../people/profiles.ts'
import { type Errors, field, form } from '../components/forms.ts'
import { count, facts, heading } from '../components/parts.ts'
import type { ConsoleDeps } from '../deps.ts'
import { formOf } from '../form.ts'
import { type InAccount, inAccount } from '../frame.ts'
import { page } from '../layout.ts'
import { seeOther } from '../redirect.ts'
import type { PageRoute } from '../route.ts'

export const settingsRoutes = (deps: ConsoleDeps): PageRoute[] => [
  {
    method: 'GET',
    path: '/console/:account/settings',
    handle: async (call) => show(await inAccount(deps, call)),
  },
  { method: 'POST', path: '/console/:account/settings', handle: (call) => rename(deps, call) },
]

const limit = (value: number): string => (value === 0 ? 'no limit' : count(value))

function show(given: InAccount, name = given.account.name, errors: Errors = {}): Response {
  const { deps, base, accountId, account, role } = given
  const { limits, tasks } = accountView(deps, accountId, account)
  const fields = field({
    ...{ name: 'name', label: 'Name of the account', value: name, error: errors.name, required: true },
    hint: 'It stays in the event log.',
  })
  const body = html`${heading('Settings')}
${role === 'owner' ? form(`${base}/console/${accountId}/settings`, fields, 'Save', errors) : facts([['Name', account.name]])}
<h2>What this account may do</h2>
${facts([
  ['Tasks', tasks.includes('*') ? 'all' : tasks.join(', ')],
  ['Runs at once', limit(limits.concurrent_runs)],
  ['Kickoffs a minute', limit(limits.kickoff_per_minute)],
  ['Reads a minute', limit(limits.read_per_minute)],
])}
<p class="hint">The operator of this instance sets these.</p>`
  return page(given, { title: 'Settings', body, at: '/settings', status: errors.name ? 422 : 200 })
}

async function rename(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = await inAccount(deps, call, 'owner')
  const name = tidyName((await formOf(call)).text('name'))
  const issue = nameIssue(name)
  if (issue) return show(given, name, { name: issue })
  const { accountId } = given
  await deps.ledger.execute({ type: 'rename', accountId, name }, { ...given.cause, accountId })
  return seeOther(`${given.base}/console/${accountId}/settings`)
}
