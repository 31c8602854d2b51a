/**
 * The pages for people who are not signed in yet.
 *
 * @module
 */
import { type PageRequest, sessionOf, toLastAccount } from '../frame.ts'
import { openRoute, type PageRoute, personRoute } from '../route.ts'
import { leave } from './enter.ts'
import { invitationPages } from './invitation.ts'
import { providerPages } from './provider.ts'
import { resetPages } from './reset.ts'
import { setupPages } from './setup.ts'
import { signInPages } from './sign-in.ts'
import { signUpPages } from './sign-up.ts'

/** Pages that redirect to the same page of the last used account. */
const SHORT = ['tasks', 'runs', 'keys', 'credits', 'logins', 'webhooks', 'members', 'settings']

export const entrancePages: readonly PageRoute[] = [
  personRoute('GET', '/console', (given) => toLastAccount(given, '')),
  ...SHORT.map((name) => personRoute('GET', `/console/${name}`, (given) => toLastAccount(given, `/${name}`))),
  ...signInPages,
  ...signUpPages,
  ...setupPages,
  ...invitationPages,
  ...resetPages,
  ...providerPages,
  openRoute('POST', '/console/sign-out', signOut),
]

async function signOut(given: PageRequest): Promise<Response> {
  const found = await sessionOf(given)
  if (found) await given.deps.sessions.end(found.person.personId, found.session.id)
  return leave(given)
}
