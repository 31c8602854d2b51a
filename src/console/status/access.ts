/**
 * Who may see the status: everybody if STATUS_PAGE is `public`; otherwise people who are signed in, and for programs the
 * holders of any valid key.
 *
 * @module
 */
import { principalOf } from '../../http/access.ts'
import { normalized } from '../../http/bearer.ts'
import { unlessAway } from '../../log/away.ts'
import { Redirect } from '../redirect.ts'
import { type PageRequest, type SignedIn, sessionOf, signedIn } from '../visitor.ts'

/** Whether everybody may see the status. */
export const isPublic = ({ deps }: PageRequest): boolean => deps.config.statusPage === 'public'

/**
 * The visitor of the page; undefined for somebody who is not signed in, or whose name cannot be read now.
 *
 * @throws {Redirect} to the sign-in page, if only members may see the page
 */
export async function visitorOfStatus(request: PageRequest): Promise<SignedIn | undefined> {
  if (!isPublic(request) && !(await sessionOf(request)))
    throw new Redirect(`${request.base}/console/sign-in?next=%2Fstatus`)
  return unlessAway(signedIn(request))
}

/**
 * Admits a program. The call of a key counts as a read of its account.
 *
 * @throws {Problem} 401, 429
 */
export async function admitProgram(request: PageRequest): Promise<void> {
  if (isPublic(request)) return
  const { deps, call } = request
  const header = call.request.headers.get('authorization')
  if (header === null && (await sessionOf(request))) return
  const key = normalized(header ?? '')?.replace('Bearer ', '')
  const principal = await principalOf(deps.keys, key)
  if (principal.kind === 'key') await call.count('read', principal.accountId)
}

/** The headers of an answer to programs. @param seconds for which it may be reused */
export const programHeaders = (request: PageRequest, seconds: number): Record<string, string> =>
  isPublic(request)
    ? {
        'cache-control': `public, max-age=${seconds}`,
        'access-control-allow-origin': '*',
        // A badge is an image on other sites.
        'cross-origin-resource-policy': 'cross-origin',
      }
    : { 'cache-control': `private, max-age=${seconds}` }
