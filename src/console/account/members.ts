/**
 * The people of an account: members, roles and invitations.
 *
 * @module
 */
import { type PersonId, parseInvitationId, parsePersonId } from '../../domain/ids.ts'
import { ROLES, type Role } from '../../domain/people-events.ts'
import { type Html, html } from '../../html.ts'
import type { Call } from '../../http/endpoint.ts'
import { Problem } from '../../http/problems.ts'
import type { MadeLink, Member } from '../../people/members.ts'
import { emailIssue } from '../../people/profiles.ts'
import { PeopleRefused } from '../../people/refused.ts'
import { action, type Errors, field, flag, form, question, select } from '../components/forms.ts'
import { copyable, empty, heading, table, time } from '../components/parts.ts'
import type { ConsoleDeps } from '../deps.ts'
import { formOf } from '../form.ts'
import { type InAccount, inAccount } from '../frame.ts'
import { page } from '../layout.ts'
import { seeOther } from '../redirect.ts'
import type { PageRoute } from '../route.ts'

export const memberRoutes = (deps: ConsoleDeps): PageRoute[] => [
  {
    method: 'GET',
    path: '/console/:account/members',
    handle: async (call) => show(await inAccount(deps, call)),
  },
  { method: 'POST', path: '/console/:account/members/invite', handle: (call) => invite(deps, call) },
  { method: 'POST', path: '/console/:account/members/link', handle: (call) => link(deps, call) },
  { method: 'POST', path: '/console/:account/members/withdraw', handle: (call) => withdraw(deps, call) },
  { method: 'POST', path: '/console/:account/members/role', handle: (call) => setRole(deps, call) },
  { method: 'POST', path: '/console/:account/members/remove', handle: (call) => remove(deps, call) },
  { method: 'POST', path: '/console/:account/members/reset', handle: (call) => reset(deps, call) },
]

/** What each role may do, in words. */
export const ROLE_WORDS: Readonly<Record<Role, string>> = {
  owner: 'owner – all of it: members, webhooks and all keys too',
  member: 'member – runs, logins and own keys',
  viewer: 'viewer – reads',
}
export const roleIn = (text: string): Role | undefined => ROLES.find((role) => role === text)

type Shown = { readonly email?: string; readonly role?: Role; readonly made?: Html; readonly status?: number }

const pathOf = ({ base, accountId }: InAccount): string => `${base}/console/${accountId}/members`

async function show(given: InAccount, shown: Shown = {}, errors: Errors = {}): Promise<Response> {
  const { deps, accountId, role } = given
  const isOwner = role === 'owner'
  const members = await deps.members.list(accountId)
  const invitations = isOwner ? await deps.members.invitations(accountId) : []
  const path = pathOf(given)
  const body = html`${heading('Members', false, 'Who can see and use this account.')}
${errors[''] && html`<p class="error" role="alert">${errors['']}</p>`}
${shown.made}
${isOwner && inviteForm(path, shown, errors)}
${table(
  'Members',
  ['Name', 'E-mail', 'Role', ''],
  members.map((member) => rowOf(given, member)),
)}
${
  isOwner &&
  html`<h2>Open invitations</h2>${
    invitations.length === 0
      ? empty('There is none.')
      : table(
          'Open invitations',
          ['E-mail', 'Role', 'Ends', ''],
          invitations.map(({ invitationId: invitation_id, email, role, expiresAt }) => ({
            key: invitation_id,
            cells: [
              email ?? '–',
              role,
              time(new Date(expiresAt).toISOString()),
              html`<div class="actions">${action(`${path}/link`, 'New link', { invitation_id })}${action(`${path}/withdraw`, 'Withdraw', { invitation_id }, 'danger')}</div>`,
            ],
          })),
        )
  }`
}`
  return page(given, { title: 'Members', body, at: '/members', status: shown.status ?? 200 })
}

function inviteForm(path: string, { email, role }: Shown, errors: Errors): Html {
  const fields = html`${field({
    ...{ name: 'email', label: 'E-mail', type: 'email', required: true, autocomplete: 'off' },
    ...{ value: email, error: errors.email },
  })}${select({
    ...{ name: 'role', label: 'Role', value: role ?? 'member' },
    choices: ROLES.map((each) => [each, ROLE_WORDS[each]] as const),
  })}`
  return html`<details class="card"${flag('open', errors.email !== undefined)}><summary>Invite somebody</summary>${form(`${path}/invite`, fields, 'Invite', errors)}</details>`
}

function rowOf(given: InAccount, { personId: person_id, name, email, role }: Member) {
  const path = pathOf(given)
  const isSelf = person_id === given.person.personId
  const text = isSelf
    ? 'You lose access to this account at once, and the keys that you made are revoked.'
    : `${name ?? 'This person'} loses access at once, and the keys that they made are revoked.`
  const options = ROLES.map(
    (each) => html`<option value="${each}"${flag('selected', each === role)}>${each}</option>`,
  )
  const change = html`<form method="post" action="${path}/role" class="inline"><input type="hidden" name="person_id" value="${person_id}"><select name="role" aria-label="Role of ${name ?? person_id}">${options}</select><button class="quiet">Change role</button></form>`
  const isOwner = given.role === 'owner'
  return {
    key: person_id,
    cells: [
      html`<bdi>${name ?? '–'}</bdi>${isSelf && ' (you)'}`,
      email ?? '–',
      isOwner ? change : role,
      isOwner
        ? html`<div class="actions">${!isSelf && action(`${path}/reset`, 'Reset password', { person_id })}${question('Remove', text, `${path}/remove`, 'Remove', { person_id })}</div>`
        : '',
    ],
  }
}

async function invite(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = await inAccount(deps, call, 'owner')
  const sent = await formOf(call)
  const email = sent.text('email').trim()
  const role = roleIn(sent.text('role'))
  const issue = emailIssue(email)
  if (issue || !role) return show(given, { email, status: 422 }, { email: issue ?? 'Choose a role.' })
  const by = given.person.personId
  const link = await orNotFound(() => deps.members.invite(given.accountId, email, role, given.cause, by))
  return show(given, {
    made: linkShown(link, `Pass this link on to ${email}. It opens the account once, within seven days.`),
  })
}

export const linkShown = ({ url, isMailed }: MadeLink, text: string): Html =>
  html`<section class="card made" role="status"><h2>The link is ready</h2><p>${text}${isMailed && ' It was mailed as well.'} It is shown this once.</p>${copyable(url, 'The link')}</section>`

async function link(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = await inAccount(deps, call, 'owner')
  const id = parseInvitationId((await formOf(call)).text('invitation_id'))
  if (!id) throw new Problem('not-found')
  const link = await orNotFound(() => deps.members.link(given.accountId, id))
  return show(given, { made: linkShown(link, 'The link before it opens nothing any more.') })
}

async function withdraw(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = await inAccount(deps, call, 'owner')
  const id = parseInvitationId((await formOf(call)).text('invitation_id'))
  if (!id) throw new Problem('not-found')
  await orNotFound(() => deps.members.withdraw(given.accountId, id, given.cause, given.person.personId))
  return seeOther(pathOf(given))
}

/** @throws {Problem} 404 */
function personIn(text: string): PersonId {
  const id = parsePersonId(text)
  if (!id) throw new Problem('not-found')
  return id
}

async function setRole(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = await inAccount(deps, call, 'owner')
  const sent = await formOf(call)
  const role = roleIn(sent.text('role'))
  if (!role) throw new Problem('not-found')
  const personId = personIn(sent.text('person_id'))
  const by = given.person.personId
  return changed(given, () => deps.members.setRole(given.accountId, personId, role, given.cause, by))
}

async function remove(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = await inAccount(deps, call, 'owner')
  const personId = personIn((await formOf(call)).text('person_id'))
  const by = given.person.personId
  const to = personId === by ? `${given.base}/console` : pathOf(given)
  return changed(given, () => deps.members.remove(given.accountId, personId, given.cause, by), to)
}

async function reset(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = await inAccount(deps, call, 'owner')
  const personId = personIn((await formOf(call)).text('person_id'))
  if (given.account.members.roles[personId] === undefined) throw new Problem('not-found')
  const person = await orNotFound(() => deps.people.person(personId))
  const accounts = await deps.people.accountsOf(personId)
  if (person.isOperator || accounts.some(({ accountId }) => accountId !== given.accountId)) {
    const text =
      'This person belongs to other accounts too, or is an operator: only the operator can make this link.'
    return show(given, { status: 403 }, { '': text })
  }
  const link = await deps.members.reset(personId)
  return show(given, {
    made: linkShown(link, 'Whoever opens it within 24 hours sets a new password for this person.'),
  })
}

async function changed(given: InAccount, act: () => Promise<void>, to = pathOf(given)): Promise<Response> {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof PeopleRefused)) throw error
    if (error.problem !== 'last-owner') throw new Problem('not-found')
    const text = 'The last owner cannot go or give up the role. Make somebody else an owner first.'
    return show(given, { status: 409 }, { '': text })
  }
  return seeOther(to)
}

/** @throws {Problem} 404 in place of a refusal */
async function orNotFound<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw error instanceof PeopleRefused ? new Problem('not-found') : error
  }
}
