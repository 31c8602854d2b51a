/**
 * The pages of who is not signed in yet.
 *
 * @module
 */
import type { Call } from '../../http/endpoint.ts'
import { cookieOf } from '../cookie.ts'
import type { ConsoleDeps } from '../deps.ts'
import { sessionOf, signedIn, toLastAccount, visit } from '../frame.ts'
import { seeOther } from '../redirect.ts'
import type { PageRoute } from '../route.ts'
import { invitationRoutes } from './invitation.ts'
import { providerRoutes } from './provider.ts'
import { resetRoutes } from './reset.ts'
import { setupRoutes } from './setup.ts'
import { signInRoutes } from './sign-in.ts'
import { signUpRoutes } from './sign-up.ts'

/** Pages that lead to the one of an account that was used last. */
const SHORT = ['tasks', 'runs', 'keys', 'credits', 'logins', 'members', 'settings']

export const entrancePages = (deps: ConsoleDeps): PageRoute[] => [
  { method: 'GET', path: '/console', handle: async (call) => toLastAccount(await signedIn(deps, call), '') },
  ...SHORT.map((name) => ({
    method: 'GET' as const,
    path: `/console/${name}`,
    handle: async (call: Call) => toLastAccount(await signedIn(deps, call), `/${name}`),
  })),
  ...signInRoutes(deps),
  ...signUpRoutes(deps),
  ...setupRoutes(deps),
  ...invitationRoutes(deps),
  ...resetRoutes(deps),
  ...providerRoutes(deps),
  { method: 'POST', path: '/console/sign-out', handle: (call) => signOut(deps, call) },
]

async function signOut(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = visit(deps, call)
  const found = await sessionOf(given)
  if (found) await deps.sessions.end(found.person.personId, found.session.id)
  const { publicUrl } = deps.config
  return seeOther(`${given.base}/console/sign-in`, { 'set-cookie': cookieOf(null, publicUrl) })
}
