/**
 * The settings of an account: its name, permissions and limits.
 *
 * @module
 */
import { html } from '../../html.ts'
import { accountView } from '../../http/routes/account.ts'
import { nameIssue, tidyName } from '../../people/profiles.ts'
import { copyId } from '../components/copy-id.ts'
import { type Errors, field, form } from '../components/forms.ts'
import { count, facts } from '../components/parts.ts'
import { formOf } from '../form.ts'
import { page } from '../layout.ts'
import { seeOther } from '../redirect.ts'
import { accountRoute } from '../route.ts'
import type { AccountVisitor } from '../visitor.ts'

export const settingsPages = [
  accountRoute('GET', '/settings', 'viewer', show),
  accountRoute('POST', '/settings', 'owner', rename),
]

const limit = (value: number): string => (value === 0 ? 'no limit' : count(value))

function show(visitor: AccountVisitor, name = visitor.account.name, errors: Errors = {}): Response {
  const { deps, own, accountId, account, role } = visitor
  const { limits, tasks } = accountView(deps, accountId, account)
  const fields = field({
    name: 'name',
    label: 'Name of the account',
    value: name,
    error: errors.name,
    required: true,
    hint: 'It stays in the event log.',
  })
  const body = html`${role === 'owner' ? form(`${own}/settings`, fields, 'Save', errors) : facts([['Name', account.name]])}
${facts([['Account', copyId(accountId, 'the id of the account')]])}
<h2>Permissions and limits</h2>
${facts([
  ['Tasks', tasks.includes('*') ? 'all' : tasks.join(', ')],
  ['Concurrent runs', limit(limits.concurrent_runs)],
  ['Kickoffs per minute', limit(limits.kickoff_per_minute)],
  ['Reads per minute', limit(limits.read_per_minute)],
])}
<p class="hint">The operator of this instance sets these.</p>`
  return page(visitor, { title: 'Settings', body, errors })
}

async function rename(visitor: AccountVisitor): Promise<Response> {
  const name = tidyName(formOf(visitor).text('name'))
  const issue = nameIssue(name)
  if (issue) return show(visitor, name, { name: issue })
  const { deps, own, accountId, cause } = visitor
  await deps.accounts.handle({ type: 'rename', accountId, name }, { ...cause, accountId })
  return seeOther(`${own}/settings`)
}
