/**
 * The pages for people who are not signed in yet.
 *
 * @module
 */

import { openRoute, type PageRoute } from '../route.ts'
import { type PageRequest, sessionOf } from '../visitor.ts'
import { leave } from './enter.ts'
import { invitationPages } from './invitation.ts'
import { providerPages } from './provider.ts'
import { resetPages } from './reset.ts'
import { setupPages } from './setup.ts'
import { signInPages } from './sign-in.ts'
import { signUpPages } from './sign-up.ts'

export const entrancePages: readonly PageRoute[] = [
  ...signInPages,
  ...signUpPages,
  ...setupPages,
  ...invitationPages,
  ...resetPages,
  ...providerPages,
  openRoute('POST', '/console/sign-out', signOut),
]

async function signOut(request: PageRequest): Promise<Response> {
  const session = await sessionOf(request)
  if (session) await request.deps.sessions.end(session.person.personId, session.session.id)
  return leave(request)
}
