/**
 * A person's own page: name, address, password, sessions, accounts, and the end of the profile.
 *
 * @module
 */
import { html } from '../html.ts'
import type { Call } from '../http/endpoint.ts'
import { tidyName } from '../people/profiles.ts'
import { PeopleRefused } from '../people/refused.ts'
import { action, type Errors, field, form, question } from './components/forms.ts'
import { empty, heading, table, time } from './components/parts.ts'
import { cookieOf } from './cookie.ts'
import type { ConsoleDeps } from './deps.ts'
import { enter, errorsOf, passwordField } from './entrance/enter.ts'
import { formOf } from './form.ts'
import { type SignedIn, signedIn } from './frame.ts'
import { page } from './layout.ts'
import { seeOther } from './redirect.ts'
import type { PageRoute } from './route.ts'

export const mePages = (deps: ConsoleDeps): PageRoute[] => [
  { method: 'GET', path: '/console/me', handle: async (call) => show(await signedIn(deps, call)) },
  { method: 'POST', path: '/console/me', handle: (call) => changeProfile(deps, call) },
  { method: 'POST', path: '/console/me/password', handle: (call) => changePassword(deps, call) },
  { method: 'POST', path: '/console/me/sessions/end', handle: (call) => endSession(deps, call) },
  { method: 'POST', path: '/console/me/delete', handle: (call) => erase(deps, call) },
]

type Shown = { readonly name?: string; readonly email?: string; readonly status?: number }

async function show(given: SignedIn, shown: Shown = {}, errors: Errors = {}): Promise<Response> {
  const { deps, base, profile, person, session, memberships } = given
  const sessions = await deps.sessions.list(person.personId)
  const path = `${base}/console/me`
  const fields = html`${field({
    ...{ name: 'name', label: 'Name', required: true, autocomplete: 'name' },
    ...{ value: shown.name ?? profile.name, error: errors.name },
  })}${field({
    ...{ name: 'email', label: 'E-mail', type: 'email', required: true, autocomplete: 'email' },
    ...{ value: shown.email ?? profile.email, error: errors.email },
  })}`
  const passwords = html`${field({
    ...{ name: 'current', label: 'Password now', type: 'password', required: true },
    ...{ autocomplete: 'current-password', error: errors.current },
  })}${passwordField('New password', errors.password)}`
  const body = html`${heading('Your profile')}
${errors[''] && html`<p class="error" role="alert">${errors['']}</p>`}
${form(path, fields, 'Save', errors.name || errors.email ? errors : {})}
<h2>Accounts</h2>
${
  memberships.length === 0
    ? empty('You belong to no account. Ask an owner of one to invite you.')
    : html`<ul class="tags">${memberships.map(({ accountId, role, name }) => html`<li><a href="${base}/console/${accountId}">${name}</a> ${role}</li>`)}</ul>`
}
<h2>Password</h2>
${form(`${path}/password`, passwords, 'Set password')}
<p class="hint">A new password signs you out everywhere else.</p>
${
  deps.provider &&
  html`<h2>Sign-in by ${deps.provider.name}</h2>${person.identities.length > 0 ? html`<p>It is linked to your profile.</p>` : html`<p>Link it, to sign in without a password.</p><p><a class="button quiet" href="${base}/console/provider">Link ${deps.provider.name}</a></p>`}`
}
<h2>Where you are signed in</h2>
${table(
  'Sessions',
  ['Browser', 'Since', 'Last used', ''],
  sessions.map(({ id, agent, createdAt, usedAt }) => ({
    key: id,
    cells: [
      html`${agent || 'unknown'}${id === session.id && ' (this one)'}`,
      time(new Date(createdAt).toISOString()),
      time(new Date(usedAt).toISOString()),
      action(`${path}/sessions/end`, 'Sign out', { id }),
    ],
  })),
)}
<h2>Delete the profile</h2>
<p>Your name, address and password are destroyed and cannot be brought back. What you did stays in the event logs of your accounts without your name.</p>
${question('Delete my profile', 'This cannot be undone. The keys that you made are revoked.', `${path}/delete`, 'Delete my profile')}`
  return page(given, { title: 'Your profile', body, status: shown.status ?? 200 })
}

async function changeProfile(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = await signedIn(deps, call)
  const sent = await formOf(call)
  const profile = { name: tidyName(sent.text('name')), email: sent.text('email').trim() }
  const errors = errorsOf(profile)
  if (Object.keys(errors).length > 0) return show(given, { ...profile, status: 422 }, errors)
  try {
    await deps.people.changeProfile(given.person.personId, profile, given.cause)
  } catch (error) {
    if (!(error instanceof PeopleRefused)) throw error
    return show(given, { ...profile, status: 422 }, { email: 'This address cannot be used.' })
  }
  return seeOther(`${given.base}/console/me`)
}

async function changePassword(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = await signedIn(deps, call)
  const sent = await formOf(call)
  const password = sent.text('password')
  const errors = errorsOf({ password })
  if (errors.password) return show(given, { status: 422 }, errors)
  const { personId } = given.person
  try {
    await deps.people.changePassword(personId, password, given.cause, sent.text('current'))
  } catch (error) {
    if (!(error instanceof PeopleRefused)) throw error
    return show(given, { status: 422 }, { current: 'The password is wrong.' })
  }
  // All sessions have ended: this browser begins another one.
  return enter(given, personId, `${given.base}/console/me`, given.session.account)
}

async function endSession(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = await signedIn(deps, call)
  const id = (await formOf(call)).text('id')
  await deps.sessions.end(given.person.personId, id)
  if (id !== given.session.id) return seeOther(`${given.base}/console/me`)
  const { publicUrl } = deps.config
  return seeOther(`${given.base}/console/sign-in`, { 'set-cookie': cookieOf(null, publicUrl) })
}

async function erase(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = await signedIn(deps, call)
  const { personId } = given.person
  try {
    for (const { accountId } of given.memberships)
      await deps.keys.revokeMadeBy(accountId, personId, given.cause)
    await deps.people.erase(personId, given.cause)
  } catch (error) {
    if (!(error instanceof PeopleRefused) || error.problem !== 'last-owner') throw error
    const name = given.memberships.find(({ accountId }) => accountId === error.account)?.name
    const text = `You are the last owner of ${name}. Make somebody else an owner first, or ask the operator to close the account.`
    return show(given, { status: 409 }, { '': text })
  }
  const { publicUrl } = deps.config
  return seeOther(`${given.base}/console/sign-in`, { 'set-cookie': cookieOf(null, publicUrl) })
}
