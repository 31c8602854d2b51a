/**
 * The people of an account: members, roles and invitations.
 *
 * @module
 */
import { type InvitationId, type PersonId, parseInvitationId, parsePersonId } from '../../domain/ids.ts'
import { ROLES, type Role } from '../../domain/roles.ts'
import { copyable, type Html, html } from '../../html.ts'
import { existing, Problem } from '../../http/problems.ts'
import { refusalOf } from '../../log/refused.ts'
import type { InvitationRequest } from '../../people/invitations.ts'
import type { MadeLink } from '../../people/links.ts'
import type { Member } from '../../people/members.ts'
import { emailIssue } from '../../people/profiles.ts'
import { copyId } from '../components/copy-id.ts'
import { action, type Errors, emailField, foldedForm, question, select } from '../components/forms.ts'
import { alert, empty, resultCard, table, time } from '../components/parts.ts'
import { createOnce, type Form, formOf, submissionKey } from '../form.ts'
import { page } from '../layout.ts'
import { seeOther } from '../redirect.ts'
import { accountRoute } from '../route.ts'
import { shownOnce, showOnce } from '../shown-once.ts'
import type { AccountVisitor, Visitor } from '../visitor.ts'

export const memberPages = [
  accountRoute('GET', '/members', 'viewer', show),
  accountRoute('POST', '/members/invite', 'owner', invite),
  accountRoute('POST', '/members/link', 'owner', link),
  accountRoute('POST', '/members/withdraw', 'owner', withdraw),
  accountRoute('POST', '/members/role', 'owner', setRole),
  accountRoute('POST', '/members/remove', 'owner', remove),
  accountRoute('POST', '/members/reset', 'owner', reset),
]

/** Descriptions of the roles. */
const ROLE_WORDS: Readonly<Record<Role, string>> = {
  owner: 'owner – everything, including members, webhooks and all keys',
  member: 'member – runs, logins and own keys',
  viewer: 'viewer – read only',
}
export const roleIn = (text: string): Role | undefined => ROLES.find((role) => role === text)

type Shown = {
  readonly email?: string
  readonly role?: Role | undefined
  readonly status?: number
}

const pathOf = ({ own }: AccountVisitor): string => `${own}/members`

async function show(visitor: AccountVisitor, shown: Shown = {}, errors: Errors = {}): Promise<Response> {
  const { deps, accountId, role } = visitor
  const isOwner = role === 'owner'
  const members = await deps.members.list(accountId)
  const invitations = isOwner ? await deps.invitations.list(accountId) : []
  const path = pathOf(visitor)
  const fields = invitationFields(shown.role ?? 'member', shown.email, errors.email)
  const body = html`${alert(errors[''])}
${await shownOnce(visitor)}
${isOwner && foldedForm('Invite somebody', `${path}/invite`, fields, 'Invite', errors.email ? errors : {})}
${table(
  'Members',
  ['Name', 'E-mail', 'Role', ''],
  members.map((member) => rowOf(visitor, member)),
)}
${
  isOwner &&
  html`<h2>Open invitations</h2>${table(
    'Open invitations',
    ['E-mail', 'Role', 'Ends', ''],
    invitations.map(({ invitationId: invitation_id, email, role, expiresAt }) => [
      email ?? '–',
      role,
      time(expiresAt),
      html`<div class="actions">${action(`${path}/link`, 'New link', { invitation_id })}${action(`${path}/withdraw`, 'Withdraw', { invitation_id }, 'danger')}</div>`,
    ]),
    { none: empty('There are no open invitations.') },
  )}`
}`
  const lead = 'Who can see and use this account.'
  return page(visitor, { title: 'Members', lead, body, errors, status: shown.status })
}

function rowOf(visitor: AccountVisitor, { personId: person_id, name, email, role }: Member) {
  const path = pathOf(visitor)
  const isSelf = person_id === visitor.person.personId
  const text = isSelf
    ? 'You lose access to this account at once, and the keys that you created are revoked.'
    : `${name ?? 'This person'} loses access at once, and the keys that they created are revoked.`
  const options = ROLES.map(
    (each) => html`<option value="${each}"${each === role && html` selected`}>${each}</option>`,
  )
  const change = html`<form method="post" action="${path}/role" class="inline"><input type="hidden" name="person_id" value="${person_id}"><select name="role" aria-label="Role of ${name ?? person_id}">${options}</select><button class="quiet">Change role</button></form>`
  const isOwner = visitor.role === 'owner'
  return [
    html`<bdi>${name ?? '–'}</bdi>${isSelf && ' (you)'}<br><span class="hint">${copyId(person_id, `the id of ${name ?? 'this person'}`)}</span>`,
    email ?? '–',
    isOwner ? change : role,
    isOwner
      ? html`<div class="actions">${!isSelf && action(`${path}/reset`, 'Reset password', { person_id })}${question('Remove', text, `${path}/remove`, { person_id })}</div>`
      : '',
  ]
}

async function invite(visitor: AccountVisitor): Promise<Response> {
  const sent = formOf(visitor)
  const { email, role, issue } = invitationIn(sent)
  if (issue || !role) return show(visitor, { email, role }, { email: issue })
  const by = visitor.person.personId
  return inviteFrom(visitor, pathOf(visitor), sent, { accountId: visitor.accountId, email, role, by })
}

/** Invites somebody, once for each submission of a form. @param path of the page that shows the link */
export function inviteFrom(
  visitor: Visitor,
  path: string,
  sent: Form,
  request: InvitationRequest,
): Promise<Response> {
  const { deps, cause } = visitor
  const { accountId, email, role } = request
  const text = `Pass this link on to ${email}. It opens the account once, within seven days.`
  return createOnce(
    visitor,
    { accountId, what: 'invitations', sent, values: { email, role } },
    {
      async first(operation) {
        const link = await deps.invitations.inviteOnce(request, cause, operation)
        return link && showOnce(visitor, path, linkShown(link, text))
      },
      page: () => path,
    },
  )
}

/** The fields of an invitation. */
export const invitationFields = (role: Role, email?: string, error?: string): Html =>
  html`${submissionKey()}${emailField('off', email, error)}${select({
    name: 'role',
    label: 'Role',
    value: role,
    choices: ROLES.map((each) => [each, ROLE_WORDS[each]] as const),
  })}`

/** The address and role of an invitation, and the problem with them; empty if they are valid. */
export function invitationIn(sent: Form) {
  const email = sent.text('email').trim()
  const role = roleIn(sent.text('role'))
  return { email, role, issue: emailIssue(email) ?? (role ? '' : 'Choose a role.') }
}

/** Shows a link to be passed on, only once. */
export const linkShown = ({ url, isMailed }: MadeLink, text: string): Html =>
  resultCard(
    'The link is ready',
    html`<p>${text}${isMailed && ' It was also mailed.'} It is shown only once.</p>${copyable(url, 'The link')}`,
  )

/** The text for a password reset link. */
export const RESET_WORDS = 'Anyone who opens it within 24 hours can set a new password for this person.'

async function link(visitor: AccountVisitor): Promise<Response> {
  const link = await visitor.deps.invitations.link(visitor.accountId, invitationOf(visitor))
  return showOnce(visitor, pathOf(visitor), linkShown(link, 'The previous link no longer works.'))
}

async function withdraw(visitor: AccountVisitor): Promise<Response> {
  const { deps, accountId, cause, person } = visitor
  await deps.invitations.withdraw(accountId, invitationOf(visitor), cause, person.personId)
  return seeOther(pathOf(visitor))
}

/** @throws {Problem} 404 */
const invitationOf = (visitor: AccountVisitor): InvitationId =>
  existing(parseInvitationId(formOf(visitor).text('invitation_id')))

/** @throws {Problem} 404 */
const personIn = (sent: Form): PersonId => existing(parsePersonId(sent.text('person_id')))

async function setRole(visitor: AccountVisitor): Promise<Response> {
  const { deps, accountId, cause, person } = visitor
  const sent = formOf(visitor)
  const role = existing(roleIn(sent.text('role')))
  return changed(visitor, deps.members.setRole(accountId, personIn(sent), role, cause, person.personId))
}

async function remove(visitor: AccountVisitor): Promise<Response> {
  const { deps, accountId, cause, person } = visitor
  const personId = personIn(formOf(visitor))
  const to = personId === person.personId ? `${visitor.base}/console` : pathOf(visitor)
  return changed(visitor, deps.members.remove(accountId, personId, cause, person.personId), to)
}

async function reset(visitor: AccountVisitor): Promise<Response> {
  const { deps, accountId, account, person } = visitor
  const personId = personIn(formOf(visitor))
  if (account.members.roles[personId] === undefined) throw new Problem('not-found')
  const issuer = { accountId, personId: person.personId }
  if (!(await deps.members.mayReset({ personId, issuer }))) {
    const text =
      'This person also belongs to other accounts, or is an operator. Only the operator can create this link.'
    return show(visitor, { status: 403 }, { '': text })
  }
  const link = await deps.members.reset(personId, issuer)
  return showOnce(visitor, pathOf(visitor), linkShown(link, RESET_WORDS))
}

async function changed(visitor: AccountVisitor, act: Promise<void>, to = pathOf(visitor)): Promise<Response> {
  const refused = await refusalOf(act)
  if (!refused) return seeOther(to)
  if (refused.code !== 'last-owner') throw refused
  const text = 'The last owner cannot leave or give up the role. Make somebody else an owner first.'
  return show(visitor, { status: 409 }, { '': text })
}
