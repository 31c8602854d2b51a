/**
 * Starting a session, and the form data of a newcomer.
 *
 * @module
 */
import type { AccountId } from '../../domain/ids.ts'
import { type Html, html } from '../../html.ts'
import type { Newcomer } from '../../people/newcomer.ts'
import { passwordIssue } from '../../people/passwords.ts'
import { emailIssue, nameIssue, tidyName } from '../../people/profiles.ts'
import type { Proven } from '../../people/sessions.ts'
import { type Errors, emailField, field, nameField } from '../components/forms.ts'
import { cookieOf } from '../cookie.ts'
import type { Form } from '../form.ts'
import { seeOther } from '../redirect.ts'
import { type PageRequest, sessionOf } from '../visitor.ts'

/** The secret of the link that opened the page. */
export const tokenOf = ({ call }: PageRequest): string => call.params.token ?? ''

/**
 * Starts a session with a new secret, ends the browser's previous session, and redirects to a page.
 *
 * @param person as read before they were checked, so that the session does not outlive a change during the check
 */
export async function enter(
  request: PageRequest,
  person: Proven,
  to: string,
  account?: AccountId,
): Promise<Response> {
  const { deps, call } = request
  const before = await sessionOf(request)
  if (before) await deps.sessions.end(before.person.personId, before.session.id)
  const agent = call.request.headers.get('user-agent') ?? ''
  const secret = await deps.sessions.begin(person, agent, account)
  return seeOther(to, { 'set-cookie': cookieOf(secret, deps.config.publicUrl) })
}

/** After the end of a session: redirects to the sign-in and deletes the cookie. */
export const leave = ({ base, deps }: PageRequest): Response =>
  seeOther(`${base}/console/sign-in`, { 'set-cookie': cookieOf(null, deps.config.publicUrl) })

/** The newcomer in a form, and its errors. */
export function newcomerIn(form: Form, email?: string): { newcomer: Newcomer; errors: Errors } {
  const newcomer = {
    name: tidyName(form.text('name')),
    email: email ?? form.text('email').trim(),
    password: form.text('password'),
  }
  const errors = {
    name: nameIssue(newcomer.name),
    email: emailIssue(newcomer.email),
    password: passwordIssue(newcomer.password),
  }
  return { newcomer, errors }
}

/** The fields of a newcomer. @param email if it is already known */
export function newcomerFields(values: Partial<Newcomer>, errors: Errors, email?: string): Html {
  const address =
    email === undefined
      ? emailField('username', values.email, errors.email)
      : html`<p>Your e-mail address is <strong>${email}</strong>.</p>`
  return html`${nameField('name', values.name, errors.name)}${address}${passwordField('Password', errors.password)}`
}

/** How an operator gets another setup link, at the server. */
export const SETUP_COMMAND: Html = html`<code>npm run gleaner -- people setup-link</code> (in a container: <code>gleaner people setup-link</code>)`

export const passwordField = (label: string, error?: string): Html =>
  field({
    name: 'password',
    label,
    type: 'password',
    required: true,
    autocomplete: 'new-password',
    hint: '12 characters or more, of any kind.',
    error,
  })
