/**
 * One account, for the operator: credits, what it may do, its people.
 *
 * @module
 */
import { type AccountId, parseAccountId } from '../../domain/ids.ts'
import { ROLES } from '../../domain/people-events.ts'
import { type Html, html } from '../../html.ts'
import type { Call } from '../../http/endpoint.ts'
import { Problem } from '../../http/problems.ts'
import { emailIssue } from '../../people/profiles.ts'
import { linkShown, ROLE_WORDS, roleIn } from '../account/members.ts'
import { action, type Errors, field, form, question, select } from '../components/forms.ts'
import { badge, count, empty, facts, heading, table } from '../components/parts.ts'
import type { ConsoleDeps } from '../deps.ts'
import { type Form, formOf } from '../form.ts'
import { asOperator, type SignedIn } from '../frame.ts'
import { page } from '../layout.ts'
import { seeOther } from '../redirect.ts'
import type { PageRoute } from '../route.ts'
import { CREDITS, creditsIn } from './accounts.ts'

const PATH = '/console/operator/accounts/:account'

export const accountRoutes = (deps: ConsoleDeps): PageRoute[] => [
  {
    method: 'GET',
    path: PATH,
    handle: async (call) => show(await asOperator(deps, call), await accountIn(deps, call)),
  },
  { method: 'POST', path: `${PATH}/grant`, handle: (call) => grant(deps, call) },
  { method: 'POST', path: `${PATH}/entitle`, handle: (call) => entitle(deps, call) },
  { method: 'POST', path: `${PATH}/suspend`, handle: (call) => suspend(deps, call) },
  { method: 'POST', path: `${PATH}/invite`, handle: (call) => invite(deps, call) },
]

const LIMITS = [
  ['kickoff_per_minute', 'Kickoffs a minute'],
  ['read_per_minute', 'Reads a minute'],
  ['admin_per_minute', 'Admin calls a minute'],
  ['concurrent_runs', 'Runs at once'],
] as const

/** @throws {Problem} 404 */
async function accountIn(deps: ConsoleDeps, { params }: Call): Promise<AccountId> {
  const id = parseAccountId(params.account ?? '')
  if (!id || (await deps.ledger.state(id)).status === 'none') throw new Problem('not-found')
  return id
}

const pathOf = ({ base }: SignedIn, id: AccountId): string => `${base}/console/operator/accounts/${id}`

async function show(given: SignedIn, id: AccountId, errors: Errors = {}, made?: Html): Promise<Response> {
  const { deps } = given
  const account = await deps.ledger.state(id)
  const people = await deps.members.list(id)
  const path = pathOf(given, id)
  const { suspended, limits } = account
  const grantFields = html`${field({ name: 'amount', label: 'Credits', type: 'number', min: 1, required: true, error: errors.amount })}${field({ name: 'reason', label: 'Reason', hint: 'It stays in the ledger.', autocomplete: 'off' })}`
  const limitFields = html`${field({ name: 'tasks', label: 'Tasks', lines: 3, value: account.tasks.join('\n'), error: errors.tasks, hint: '* for all, forum.* for those of a source, or the key of a task. One a line.' })}${LIMITS.map(([name, label]) => field({ name, label, type: 'number', min: 0, value: limits[name] === undefined ? '' : String(limits[name]), error: errors[name], hint: 'Empty: the default of the service. 0: no limit.' }))}`
  const inviteFields = html`${field({ name: 'email', label: 'E-mail', type: 'email', required: true, error: errors.email, autocomplete: 'off' })}${select({ name: 'role', label: 'Role', value: 'owner', choices: ROLES.map((role) => [role, ROLE_WORDS[role]] as const) })}`
  const text = 'It can read, but it cannot start runs any more.'
  const body = html`${heading(account.name)}
${made}
${facts([
  ['Credits', count(account.balance)],
  ['State', badge(suspended ? 'suspended' : 'active')],
  ['Account', html`<code>${id}</code>`],
])}
${suspended ? action(`${path}/suspend`, 'Resume', { suspended: 'false' }, '') : question('Suspend', text, `${path}/suspend`, 'Suspend', { suspended: 'true' })}
<h2>Grant credits</h2>${form(`${path}/grant`, grantFields, 'Grant', {})}
<h2>What it may do</h2>${form(`${path}/entitle`, limitFields, 'Save', {})}
<h2>People</h2>${
    people.length === 0
      ? empty('Nobody belongs to this account yet.')
      : table(
          'People',
          ['Name', 'E-mail', 'Role'],
          people.map(({ personId, name, email, role }) => ({
            key: personId,
            cells: [html`<bdi>${name ?? '–'}</bdi>`, email ?? '–', role],
          })),
        )
  }
<h2>Invite somebody</h2>${form(`${path}/invite`, inviteFields, 'Invite', {})}`
  const status = Object.keys(errors).length > 0 ? 422 : 200
  return page(given, { title: account.name, body, at: '/console/operator', status })
}

async function grant(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = await asOperator(deps, call)
  const accountId = await accountIn(deps, call)
  const sent = await formOf(call)
  const amount = creditsIn(sent.text('amount'), 1)
  if (amount === undefined) return show(given, accountId, { amount: CREDITS })
  const reason = sent.text('reason').trim().slice(0, 200) || undefined
  await deps.ledger.execute({ type: 'grant', accountId, amount, reason }, { ...given.cause, accountId })
  return seeOther(pathOf(given, accountId))
}

async function entitle(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = await asOperator(deps, call)
  const accountId = await accountIn(deps, call)
  const sent = await formOf(call)
  const lines = sent
    .text('tasks')
    .split('\n')
    .map((line) => line.trim())
  const tasks = lines.filter((line) => line !== '')
  const { limits, errors } = limitsIn(sent)
  if (tasks.length === 0 || !tasks.every((each) => /^(\*|[a-z0-9_.]+(\.\*)?)$/.test(each)))
    errors.tasks = 'Each line is *, the key of a task, or the name of a source with .*'
  if (Object.keys(errors).length > 0) return show(given, accountId, errors)
  await deps.ledger.execute({ type: 'entitle', accountId, tasks, limits }, { ...given.cause, accountId })
  return seeOther(pathOf(given, accountId))
}

function limitsIn(sent: Form) {
  const limits: Record<string, number | null> = {}
  const errors: Record<string, string> = {}
  for (const [name] of LIMITS) {
    const text = sent.text(name).trim()
    const value = text === '' ? null : creditsIn(text, 0)
    if (value === undefined) errors[name] = CREDITS
    else limits[name] = value
  }
  return { limits, errors }
}

async function suspend(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = await asOperator(deps, call)
  const accountId = await accountIn(deps, call)
  const suspended = (await formOf(call)).text('suspended') === 'true'
  await deps.ledger.execute({ type: 'entitle', accountId, suspended }, { ...given.cause, accountId })
  return seeOther(pathOf(given, accountId))
}

async function invite(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = await asOperator(deps, call)
  const accountId = await accountIn(deps, call)
  const sent = await formOf(call)
  const email = sent.text('email').trim()
  const issue = emailIssue(email)
  const role = roleIn(sent.text('role'))
  if (issue || !role) return show(given, accountId, { email: issue ?? 'Choose a role.' })
  const link = await deps.members.invite(accountId, email, role, given.cause)
  return show(given, accountId, {}, linkShown(link, `Pass this link on to ${email}.`))
}
