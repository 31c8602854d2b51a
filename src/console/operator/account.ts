/**
 * One account, for the operator: credits, permissions and limits, people.
 *
 * @module
 */
import { issuesOf } from '../../catalogue/check.ts'
import type { AccountState } from '../../domain/account.ts'
import { CANARY_ACCOUNT_ID } from '../../domain/health/canary.ts'
import { type AccountId, parseAccountId } from '../../domain/ids.ts'
import { html } from '../../html.ts'
import { Problem } from '../../http/problems.ts'
import { Reason, TaskPatterns } from '../../http/routes/operator.ts'
import { invitationFields, invitationIn, inviteFrom, roleIn } from '../account/members.ts'
import { copyId } from '../components/copy-id.ts'
import { action, type Errors, field, form, isWrong, question, sentence } from '../components/forms.ts'
import { badge, count, empty, facts, table } from '../components/parts.ts'
import { type Form, formOf, linesOf, submissionKey } from '../form.ts'
import { page } from '../layout.ts'
import { seeOther } from '../redirect.ts'
import { operatorRoute } from '../route.ts'
import { shownOnce } from '../shown-once.ts'
import type { Visitor } from '../visitor.ts'
import { CREDITS, creditsIn, operationOf } from './accounts.ts'

/** A request to the operator's page of an account. Its field names differ from those of the account's own pages. */
type OfAccount = Visitor & {
  readonly id: AccountId
  readonly state: AccountState
  /** of the account's page */
  readonly path: string
}

/** @param path below the account's */
const route = (method: 'GET' | 'POST', path: string, handle: (visitor: OfAccount) => Promise<Response>) =>
  operatorRoute(method, `/console/operator/accounts/:account${path}`, async (visitor) =>
    handle(await ofAccount(visitor)),
  )

export const operatorAccountPages = [
  route('GET', '', show),
  route('POST', '/grant', grant),
  route('POST', '/entitle', entitle),
  route('POST', '/suspend', suspend),
  route('POST', '/invite', invite),
]

const LIMITS = [
  ['kickoff_per_minute', 'Kickoffs per minute'],
  ['read_per_minute', 'Reads per minute'],
  ['admin_per_minute', 'Admin calls per minute'],
  ['concurrent_runs', 'Concurrent runs'],
] as const

/** @throws {Problem} 404 */
async function ofAccount(visitor: Visitor): Promise<OfAccount> {
  const { deps, call, base } = visitor
  const id = parseAccountId(call.params.account ?? '')
  const state = id && (await deps.accounts.state(id))
  if (!id || !state || state.status === 'none') throw new Problem('not-found')
  return { ...visitor, id, state, path: `${base}/console/operator/accounts/${id}` }
}

const ABOUT_CANARY = html`<p>This account is the service’s own: its runs try the tasks, free of charge. Its permissions choose which
ones. To sign in to the sources for tasks that need a login, invite yourself and use the account’s page of logins.</p>`

/** A refused form, with its errors. */
type Sent = { readonly form?: Form; readonly errors?: Errors }

async function show(visitor: OfAccount, { form: sent, errors = {} }: Sent = {}): Promise<Response> {
  const { deps, id, state, path } = visitor
  const filled = (name: string, stored = '') => sent?.all(name)[0] ?? stored
  const people = await deps.members.list(id)
  const { name, suspended, limits, tasks, balance } = state
  const grantFields = html`${submissionKey()}${field({ name: 'amount', label: 'Credits', type: 'number', min: 1, required: true, value: filled('amount'), error: errors.amount })}${field({ name: 'reason', label: 'Reason', value: filled('reason'), error: errors.reason, hint: 'It stays in the ledger.', autocomplete: 'off' })}`
  const limitFields = html`${field({ name: 'tasks', label: 'Tasks', lines: 3, value: filled('tasks', tasks.join('\n')), error: errors.tasks, hint: '* for all tasks, forum.* for all tasks of a source, or the key of a task. One per line.' })}${LIMITS.map(([limit, label]) => field({ name: limit, label, type: 'number', min: 0, value: filled(limit, limits[limit]?.toString()), error: errors[limit], hint: 'Empty: the default of the service. 0: no limit.' }))}`
  const inviteFields = invitationFields(roleIn(filled('role')) ?? 'owner', filled('email'), errors.email)
  const isCanary = id === CANARY_ACCOUNT_ID
  const text = isCanary
    ? 'No task is tried any more until you resume it. What breaks is then noticed when a run of somebody fails.'
    : 'It can still read, but it can no longer start runs.'
  const body = html`${await shownOnce(visitor)}${isCanary ? ABOUT_CANARY : ''}
${facts([
  ['Credits', count(balance)],
  ['State', badge(suspended ? 'suspended' : 'active')],
  ['Account', copyId(id, 'the id of the account')],
])}
${suspended ? action(`${path}/suspend`, 'Resume', { suspended: 'false' }, '') : question('Suspend', text, `${path}/suspend`, { suspended: 'true' })}
<h2>Grant credits</h2>${form(`${path}/grant`, grantFields, 'Grant')}
<h2>Permissions and limits</h2>${form(`${path}/entitle`, limitFields, 'Save')}
<h2>People</h2>${table(
    'People',
    ['Name', 'E-mail', 'Role', 'Person'],
    people.map(({ personId, name, email, role }) => [
      html`<bdi>${name ?? '–'}</bdi>`,
      email ?? '–',
      role,
      copyId(personId, `the id of ${name ?? 'the person'}`),
    ]),
    { none: empty('Nobody belongs to this account yet.') },
  )}
<h2>Invite somebody</h2>${form(`${path}/invite`, inviteFields, 'Invite')}`
  return page(visitor, { title: name, body, errors })
}

async function grant(visitor: OfAccount): Promise<Response> {
  const { deps, cause, id: accountId, path } = visitor
  const sent = formOf(visitor)
  const amount = creditsIn(sent.text('amount'), 1)
  const reason = sent.text('reason').trim() || undefined
  const issue = reason === undefined ? undefined : issuesOf(Reason, reason)[0]
  const errors = {
    amount: amount === undefined ? CREDITS : undefined,
    reason: issue && sentence(issue.detail),
  }
  if (amount === undefined || isWrong(errors)) return show(visitor, { form: sent, errors })
  const operation = operationOf(sent, [accountId, amount, reason])
  await deps.accounts.handle({ type: 'grant', accountId, amount, reason, operation }, { ...cause, accountId })
  return seeOther(path)
}

async function entitle(visitor: OfAccount): Promise<Response> {
  const { deps, cause, id: accountId, path } = visitor
  const sent = formOf(visitor)
  const tasks = linesOf(sent.text('tasks'))
  const { limits, errors } = limitsIn(sent)
  if (tasks.length === 0 || issuesOf(TaskPatterns, tasks).length > 0)
    errors.tasks =
      'Each line must be *, the key of a task, or the name of a source followed by .* (at most 200 lines)'
  if (isWrong(errors)) return show(visitor, { form: sent, errors })
  await deps.accounts.handle({ type: 'entitle', accountId, tasks, limits }, { ...cause, accountId })
  return seeOther(path)
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

async function suspend(visitor: OfAccount): Promise<Response> {
  const { deps, cause, id: accountId, path } = visitor
  const suspended = formOf(visitor).text('suspended') === 'true'
  await deps.accounts.handle({ type: 'entitle', accountId, suspended }, { ...cause, accountId })
  return seeOther(path)
}

async function invite(visitor: OfAccount): Promise<Response> {
  const { id: accountId, path } = visitor
  const sent = formOf(visitor)
  const { email, role, issue } = invitationIn(sent)
  if (issue || !role) return show(visitor, { form: sent, errors: { email: issue } })
  return inviteFrom(visitor, path, sent, { accountId, email, role })
}
