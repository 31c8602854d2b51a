/**
 * Sign-in by an OpenID Connect provider, and linking an identity there: the way to the provider, and the callback.
 *
 * @module
 */
import type { PersonId } from '../../domain/ids.ts'
import { html } from '../../html.ts'
import { existing } from '../../http/problems.ts'
import { Refused, refusalOf } from '../../log/refused.ts'
import { byPerson } from '../../people/addresses.ts'
import { type Identity, type Provider, ProviderRefused, type Purpose } from '../../people/provider.ts'
import { joined } from '../../people/sessions.ts'
import { resultCard } from '../components/parts.ts'
import { cookieIn, cookieOf } from '../cookie.ts'
import { deadEnd } from '../layout.ts'
import { nextOf, seeOther } from '../redirect.ts'
import { openRoute } from '../route.ts'
import { showOnce } from '../shown-once.ts'
import { type PageRequest, sessionOf, type Visitor } from '../visitor.ts'
import { enter } from './enter.ts'

export const providerPages = [
  openRoute('GET', '/console/provider', begin),
  openRoute('GET', '/console/provider/callback', complete),
]

/** @param secret null: deletes the cookie */
const cookieFor = ({ deps }: PageRequest, secret: string | null): string =>
  cookieOf(secret, deps.config.publicUrl, 'provider')

/** @throws {Problem} 404 without a provider */
const providerIn = ({ deps }: PageRequest): Provider => existing(deps.provider)

async function begin(request: PageRequest): Promise<Response> {
  const { searchParams } = request.url
  const purpose = { next: searchParams.get('next') ?? '', invitation: searchParams.get('invitation') ?? '' }
  try {
    const { url, secret } = await providerIn(request).begin(purpose)
    return seeOther(url, { 'set-cookie': cookieFor(request, secret) })
  } catch (error) {
    return refused(request, error)
  }
}

/**
 * Begins to link an identity to the signed-in person. The profile then shows a link to the provider, because the content
 * security policy forbids that a form leads to another site.
 */
export async function beginLink(request: Visitor): Promise<Response> {
  const provider = providerIn(request)
  const { base, person } = request
  try {
    const { url, secret } = await provider.begin({ next: '', invitation: '', linkFor: person.personId })
    const next = html`<p>Sign in there with the identity that you want to link.</p>
<p><a class="button" href="${url}">Continue to ${provider.name}</a></p>`
    const answer = await showOnce(request, `${base}/console/me`, resultCard(`Link ${provider.name}`, next))
    answer.headers.set('set-cookie', cookieFor(request, secret))
    return answer
  } catch (error) {
    return refused(request, error)
  }
}

async function complete(request: PageRequest): Promise<Response> {
  const provider = providerIn(request)
  const secret = cookieIn(request.call.request, request.deps.config.publicUrl, 'provider') ?? ''
  try {
    const { identity, purpose } = await provider.complete(request.url.search, secret)
    const answer = await admitted(request, identity, purpose)
    answer.headers.append('set-cookie', cookieFor(request, null))
    return answer
  } catch (error) {
    return refused(request, error)
  }
}

/** Links the identity if its sign-in was for that; else signs in its person, or creates the invited person. */
async function admitted(
  request: PageRequest,
  identity: Identity,
  { next, invitation, linkFor }: Purpose,
): Promise<Response> {
  const { deps, base, cause } = request
  if (linkFor !== undefined) return linked(request, identity, linkFor)
  const person = await deps.identities.personOf(identity, cause)
  const path = invitation ? `/console/invitations/${encodeURIComponent(invitation)}` : next
  if (person) return enter(request, person, nextOf(base, path))
  const opened = await deps.invitations.opened(invitation)
  if (!opened) throw new Refused({ refused: 'not-found' })
  const { accountId, invitationId, role, email } = opened
  const entrance = { account_id: accountId, role, invitation_id: invitationId, token: invitation }
  const personId = await deps.identities.join(identity, email, entrance, cause)
  return enter(request, joined(personId), `${base}/console/${accountId}`, accountId)
}

/** Links an identity to the person who asked for it, if this browser is still signed in as that person. */
async function linked(request: PageRequest, identity: Identity, personId: PersonId): Promise<Response> {
  const { deps, base, cause } = request
  const session = await sessionOf(request)
  const isTheirs = session?.person.personId === personId
  const own = byPerson(personId, cause)
  if (isTheirs && !(await refusalOf(deps.identities.link(personId, identity, own))))
    return seeOther(`${base}/console/me`)
  const text = isTheirs
    ? 'This identity already belongs to somebody else here.'
    : 'You are no longer signed in as the person who began to link this identity. Begin again on your profile.'
  return deadEnd(base, {
    title: 'Not linked',
    status: 403,
    text,
    to: '/me',
    label: 'Back to your profile',
  })
}

function refused(request: PageRequest, error: unknown): Response {
  if (!(error instanceof ProviderRefused) && !(error instanceof Refused)) throw error
  if (error instanceof ProviderRefused)
    request.deps.logger.warn({ err: error }, 'A sign-in by the OpenID Connect provider failed.')
  const texts: Partial<Record<string, string>> = {
    'not-found':
      'This identity is not linked to anybody here. Sign in with your password first and link it in your profile, or ask for an invitation to its address.',
    'wrong-address':
      'This invitation is for another address, or the provider has not verified that the address is yours.',
    'address-taken': 'This identity or its address already belongs to somebody here. Sign in as that person.',
    'link-used': 'This invitation was used. Ask for a new one.',
  }
  const [status, text] =
    error instanceof ProviderRefused
      ? [502, 'The sign-in at the provider did not succeed. Try again.']
      : [403, texts[error.code] ?? 'The sign-in did not succeed.']
  return deadEnd(request.base, {
    title: 'Not signed in',
    status,
    text,
    to: '/sign-in',
    label: 'Back to the sign-in',
  })
}
