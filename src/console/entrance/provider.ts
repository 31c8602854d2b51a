/**
 * Sign-in by an OpenID Connect provider: the redirect and the callback.
 *
 * @module
 */
import { found } from '../../http/problems.ts'
import { cookiesIn, newCookie } from '../../page/cookie.ts'
import { type Identity, type Provider, ProviderRefused, type Purpose } from '../../people/provider.ts'
import { PeopleRefused } from '../../people/refused.ts'
import { type PageRequest, sessionOf } from '../frame.ts'
import { deadEnd } from '../layout.ts'
import { nextOf, seeOther } from '../redirect.ts'
import { openRoute } from '../route.ts'
import { enter } from './enter.ts'

export const providerPages = [
  openRoute('GET', '/console/provider', begin),
  openRoute('GET', '/console/provider/callback', complete),
]

const COOKIE = 'gleaner_provider'
const MAX_AGE_S = 600

/** @param secret empty: deletes the cookie */
function cookieOf({ base, deps }: PageRequest, secret: string): string {
  const maxAgeS = secret === '' ? 0 : MAX_AGE_S
  return newCookie(COOKIE, secret, `${base}/console/provider`, maxAgeS, deps.config.publicUrl)
}

/** @throws {Problem} 404 without a provider */
const providerIn = ({ deps }: PageRequest): Provider => found(deps.provider)

async function begin(given: PageRequest): Promise<Response> {
  const { searchParams } = given.url
  const purpose = { next: searchParams.get('next') ?? '', invitation: searchParams.get('invitation') ?? '' }
  try {
    const { url, secret } = await providerIn(given).begin(purpose)
    return seeOther(url, { 'set-cookie': cookieOf(given, secret) })
  } catch (error) {
    return refused(given, error)
  }
}

async function complete(given: PageRequest): Promise<Response> {
  const provider = providerIn(given)
  const [secret = ''] = cookiesIn(given.call.request, COOKIE)
  try {
    const { identity, purpose } = await provider.complete(given.url.search, secret)
    const answer = await admitted(given, identity, purpose)
    answer.headers.append('set-cookie', cookieOf(given, ''))
    return answer
  } catch (error) {
    return refused(given, error)
  }
}

/** Signs in the identity's person, links it to the signed-in person, or creates the invited person; else explains. */
async function admitted(
  given: PageRequest,
  identity: Identity,
  { next, invitation }: Purpose,
): Promise<Response> {
  const { deps, base, cause } = given
  const person = await deps.identities.personOf(identity, cause)
  if (person) return enter(given, person.personId, invitation ? pathOf(base, invitation) : nextOf(base, next))
  const session = await sessionOf(given)
  if (session) {
    const { personId } = session.person
    await deps.identities.link(personId, identity, { ...cause, actor: `person:${personId}` })
    return seeOther(`${base}/console/me`)
  }
  const link = invitation === '' ? undefined : await deps.links.find('invitation', invitation)
  const opened = link && (await deps.members.opened(link))
  if (!opened || opened.email === null) throw new PeopleRefused('not-found')
  const { accountId, invitationId, role } = opened
  const take = (by: string) => deps.links.take(invitation, by)
  const entrance = { account_id: accountId, role, invitation_id: invitationId, take }
  const personId = await deps.identities.join(identity, opened.email, entrance, cause)
  return enter(given, personId, `${base}/console/${accountId}`, accountId)
}

const pathOf = (base: string, token: string): string =>
  `${base}/console/invitations/${encodeURIComponent(token)}`

function refused(given: PageRequest, error: unknown): Response {
  if (!(error instanceof ProviderRefused) && !(error instanceof PeopleRefused)) throw error
  if (error instanceof ProviderRefused)
    given.deps.logger.warn({ err: error }, 'A sign-in by the OpenID Connect provider failed.')
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
      : [403, texts[error.problem] ?? 'The sign-in did not succeed.']
  return deadEnd(given.base, {
    ...{ title: 'Not signed in', status, text, to: '/sign-in', label: 'Back to the sign-in' },
  })
}
