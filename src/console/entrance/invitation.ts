/**
 * Joining an account by an invitation, as a new person or as a signed-in one.
 *
 * @module
 */
import type { PersonId } from '../../domain/ids.ts'
import { html } from '../../html.ts'
import { Refused } from '../../log/refused.ts'
import { addressKey, byPerson } from '../../people/addresses.ts'
import type { Opened } from '../../people/invitations.ts'
import type { Newcomer } from '../../people/newcomer.ts'
import { joined } from '../../people/sessions.ts'
import { type Errors, form, isWrong } from '../components/forms.ts'
import { formOf } from '../form.ts'
import { deadEnd, plainPage } from '../layout.ts'
import { seeOther } from '../redirect.ts'
import { openRoute } from '../route.ts'
import { type PageRequest, sessionOf } from '../visitor.ts'
import { enter, newcomerFields, newcomerIn, tokenOf } from './enter.ts'

export const invitationPages = [
  openRoute('GET', '/console/invitations/:token', show),
  openRoute('POST', '/console/invitations/:token', join),
]

/** An open invitation, and how the visitor can use it. */
type Invitation = Opened &
  /** `new`: create a profile; `join`: signed in as the invited person; `sign-in`: sign in as that person first */
  ({ readonly how: 'new' | 'sign-in' } | { readonly how: 'join'; readonly personId: PersonId })

async function invitationOf(request: PageRequest): Promise<Invitation | undefined> {
  const { deps } = request
  const opened = await deps.invitations.opened(tokenOf(request))
  if (!opened) return undefined
  const { email } = opened
  const session = await sessionOf(request)
  const profile = session && (await deps.people.profile(session.person.personId))
  if (profile && addressKey(profile.email) === addressKey(email))
    return { ...opened, how: 'join', personId: session.person.personId }
  const isKnown = (await deps.people.idOf(email)) !== undefined
  return { ...opened, how: isKnown || session ? 'sign-in' : 'new' }
}

async function show(request: PageRequest): Promise<Response> {
  const invitation = await invitationOf(request)
  return invitation ? invitationPage(request, invitation, {}, {}) : goneOf(request)
}

function invitationPage(
  request: PageRequest,
  { account, role, email, how }: Invitation,
  values: Partial<Newcomer>,
  errors: Errors,
  status?: number,
): Response {
  const { deps, base } = request
  const token = tokenOf(request)
  const path = `/console/invitations/${token}`
  const { provider } = deps
  const by =
    provider &&
    html`<p><a class="button quiet" href="${base}/console/provider?invitation=${token}">Join with ${provider.name}</a></p>`
  const rest = {
    new: () => html`${form(base + path, newcomerFields(values, errors, email), 'Join', errors)}${by}`,
    join: () => form(base + path, html``, 'Join', errors),
    'sign-in':
      () => html`<p>This invitation is for <strong>${email}</strong>. Sign in as that person to accept it.</p>
<form method="post" action="${base}/console/sign-out" class="inline"><button class="quiet">Sign out</button></form>
<p><a class="button" href="${base}/console/sign-in?next=${encodeURIComponent(path)}">Sign in</a></p>`,
  }
  const body = html`<p>You are invited to the account <strong>${account}</strong> as ${role}.</p>
${rest[how]()}`
  return plainPage(base, { title: 'Join', heading: `Join ${account}`, body, errors, status })
}

const goneOf = ({ base }: PageRequest): Response =>
  deadEnd(base, {
    title: 'This invitation is not open',
    status: 404,
    label: 'Go to the console',
    text: 'It was used, withdrawn, or has expired after seven days. Ask the person who invited you for a new one.',
  })

async function join(request: PageRequest): Promise<Response> {
  const { deps, base, cause } = request
  const invitation = await invitationOf(request)
  if (!invitation) return goneOf(request)
  const { accountId, invitationId, role, email } = invitation
  const to = `${base}/console/${accountId}`
  if (invitation.how === 'sign-in') return invitationPage(request, invitation, {}, {}, 403)
  try {
    if (invitation.how === 'join') {
      await deps.invitations.accept(invitation, invitation.personId, byPerson(invitation.personId, cause))
      return seeOther(to)
    }
    const { newcomer, errors } = newcomerIn(formOf(request), email)
    if (isWrong(errors)) return invitationPage(request, invitation, newcomer, errors)
    const entrance = { account_id: accountId, role, invitation_id: invitationId, token: tokenOf(request) }
    const personId = await deps.people.join(newcomer, entrance, cause)
    return enter(request, joined(personId), to, accountId)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return goneOf(request)
  }
}
