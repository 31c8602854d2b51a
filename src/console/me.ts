/**
 * A person's own page: name, address, password, identity at the provider, sessions, accounts, and deleting the profile.
 *
 * @module
 */
import { type Html, html } from '../html.ts'
import { Refused, refusalOf } from '../log/refused.ts'
import { passwordIssue } from '../people/passwords.ts'
import { emailIssue, nameIssue, tidyName } from '../people/profiles.ts'
import { isCurrent } from '../people/sessions.ts'
import { TooManyTries } from '../people/sign-in.ts'
import { browserName } from './browser-name.ts'
import { copyId } from './components/copy-id.ts'
import {
  action,
  type Errors,
  emailField,
  field,
  form,
  isWrong,
  nameField,
  question,
} from './components/forms.ts'
import { alert, empty, table, time } from './components/parts.ts'
import { enter, leave, passwordField } from './entrance/enter.ts'
import { beginLink } from './entrance/provider.ts'
import { formOf } from './form.ts'
import { page } from './layout.ts'
import { seeOther } from './redirect.ts'
import { personRoute } from './route.ts'
import { shownOnce } from './shown-once.ts'
import type { Visitor } from './visitor.ts'

const PATH = '/console/me'
const TO_SET_ONE = 'Ask an owner of your account or the operator for a link to set one.'

export const mePages = [
  personRoute('GET', PATH, show),
  personRoute('POST', PATH, changeProfile),
  personRoute('POST', `${PATH}/password`, changePassword),
  personRoute('POST', `${PATH}/provider`, beginLink),
  personRoute('POST', `${PATH}/provider/remove`, removeIdentities),
  personRoute('POST', `${PATH}/sessions/end`, endSession),
  personRoute('POST', `${PATH}/delete`, erase),
]

type Shown = { readonly name?: string; readonly email?: string; readonly status?: number }

async function show(visitor: Visitor, shown: Shown = {}, errors: Errors = {}): Promise<Response> {
  const { deps, base, profile, person, session, memberships } = visitor
  const sessions = (await deps.sessions.list(person.personId)).filter((one) => isCurrent(one, person))
  const path = base + PATH
  const { name = profile.name, email = profile.email } = shown
  const fields = html`${nameField('name', name, errors.name)}${emailField('email', email, errors.email)}`
  const passwords = html`${field({
    name: 'current',
    label: 'Current password',
    type: 'password',
    required: true,
    autocomplete: 'current-password',
    error: errors.current,
  })}${passwordField('New password', errors.password)}`
  const body = html`${await shownOnce(visitor)}${alert(errors[''])}
${form(path, fields, 'Save')}
<p class="hint">Your id, under which your actions stand in the event log: ${copyId(person.personId, 'your id')}</p>
<h2>Accounts</h2>
${
  memberships.length === 0
    ? empty('You do not belong to any account. Ask an owner of an account to invite you.')
    : html`<ul class="tags">${memberships.map(({ accountId, role, name }) => html`<li><a href="${base}/console/${accountId}">${name}</a> ${role}</li>`)}</ul>`
}
<h2>Password</h2>
${
  person.passwordRef === undefined
    ? html`<p>You have no password. ${TO_SET_ONE}</p>`
    : html`${form(`${path}/password`, passwords, 'Set password')}<p class="hint">A new password signs you out everywhere else.</p>`
}
${providerPart(visitor)}
<h2>Where you are signed in</h2>
${table(
  'Sessions',
  ['Browser', 'Since', 'Last used', ''],
  sessions.map(({ id, agent, createdAt, usedAt }) => [
    html`${browserName(agent)}${id === session.id && ' (this one)'}`,
    time(createdAt),
    time(usedAt),
    action(`${path}/sessions/end`, 'Sign out', { id }),
  ]),
)}
<h2>Delete the profile</h2>
<p>Your name, address and password are destroyed and cannot be restored. Your actions stay in the event logs of your accounts, without your name.</p>
${question('Delete my profile', 'This cannot be undone. The keys that you created are revoked.', `${path}/delete`)}`
  return page(visitor, { title: 'Your profile', body, errors, status: shown.status })
}

/** Whether an identity at the provider is linked, and the button to link or remove it. */
function providerPart({ deps, base, person: { identities, passwordRef } }: Visitor): Html | false {
  const name = deps.provider?.name ?? 'the provider'
  const path = `${base}${PATH}/provider`
  if (identities.length === 0)
    return (
      deps.provider !== undefined &&
      html`<h2>Sign-in with ${name}</h2><p>Link it to sign in without a password.</p>${action(path, `Link ${name}`)}`
    )
  const text = 'You sign in with your password from then on. You are signed out everywhere else.'
  const count = identities.length
  const linked =
    count === 1
      ? 'It is linked to your profile.'
      : `${count} identities there are linked to your profile. Unlinking removes all of them.`
  return html`<h2>Sign-in with ${name}</h2><p>${linked}</p>${
    passwordRef === undefined
      ? html`<p class="hint">To unlink it, set a password first.</p>`
      : question(`Unlink ${name}`, text, `${path}/remove`)
  }`
}

async function changeProfile(visitor: Visitor): Promise<Response> {
  const { deps, base, person, cause } = visitor
  const sent = formOf(visitor)
  const profile = { name: tidyName(sent.text('name')), email: sent.text('email').trim() }
  const errors = { name: nameIssue(profile.name), email: emailIssue(profile.email) }
  if (isWrong(errors)) return show(visitor, profile, errors)
  const refused = await refusalOf(deps.people.changeProfile(person.personId, profile, cause))
  return refused ? show(visitor, profile, { email: 'This address cannot be used.' }) : seeOther(base + PATH)
}

async function changePassword(visitor: Visitor): Promise<Response> {
  const { deps, base, person, session, cause } = visitor
  const sent = formOf(visitor)
  const password = sent.text('password')
  const issue = passwordIssue(password)
  if (issue) return show(visitor, {}, { password: issue })
  const { personId } = person
  try {
    const changed = await deps.signIn.withPassword(personId, () =>
      deps.people.changePassword(personId, password, cause, sent.text('current')),
    )
    // All sessions have ended, so this browser starts a new one.
    return await enter(visitor, changed, base + PATH, session.account)
  } catch (error) {
    if (error instanceof TooManyTries) return show(visitor, { status: 429 }, { current: error.message })
    if (!(error instanceof Refused)) throw error
    return show(visitor, {}, { current: 'The password is wrong.' })
  }
}

async function removeIdentities(visitor: Visitor): Promise<Response> {
  const { deps, base, person, session, cause } = visitor
  try {
    const unlinked = await deps.identities.unlinkAll(person.personId, cause)
    // All sessions have ended, so this browser starts a new one.
    return await enter(visitor, unlinked, base + PATH, session.account)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return show(visitor, { status: 409 }, { '': `Set a password first. ${TO_SET_ONE}` })
  }
}

async function endSession(visitor: Visitor): Promise<Response> {
  const { deps, base, person, session } = visitor
  const id = formOf(visitor).text('id')
  await deps.sessions.end(person.personId, id)
  return id === session.id ? leave(visitor) : seeOther(base + PATH)
}

async function erase(visitor: Visitor): Promise<Response> {
  const { deps, person, memberships, cause } = visitor
  const refused = await refusalOf(deps.members.erase(person.personId, cause))
  if (!refused) return leave(visitor)
  if (refused.code !== 'last-owner') throw refused
  const name = memberships.find(({ accountId }) => accountId === refused.refusal.accountId)?.name
  const text = `You are the last owner of ${name}. Make somebody else an owner first, or ask the operator to close the account.`
  return show(visitor, { status: 409 }, { '': text })
}
