/**
 * The visitor of a hosted page: with an unopened link, or in the browser that opened the link.
 *
 * @module
 */
import { idOf, isSecret } from '../../ephemeral/tickets.ts'
import { cookiesIn, newCookie } from '../../page/cookie.ts'
import type { KnownLink, SignInLinks } from '../links.ts'

/** A link as seen by its visitor. `opened`: by this browser, by another one, or not yet. */
export type LinkVisitor = {
  readonly link: KnownLink
  readonly opened: 'here' | 'elsewhere' | 'not-yet'
}

const COOKIE = 'gleaner_login'

/**
 * Determines the visitor that sent a request. Undefined if the link is unknown, used or expired.
 *
 * @param hash of the link's token
 */
export async function visitorOf(
  deps: { readonly now: () => number; readonly signInLinks: Pick<SignInLinks, 'find'> },
  request: Request,
  hash: string,
): Promise<LinkVisitor | undefined> {
  const link = await deps.signInLinks.find(hash, deps.now())
  if (!link) return undefined
  // Both are hashes, so the timing of the comparison reveals nothing about the secret.
  const isHere = sessionIn(request) === link.opened
  return { link, opened: link.opened === null ? 'not-yet' : isHere ? 'here' : 'elsewhere' }
}

/** The cookie that binds a link to the browser that opened it. It is only sent to that link's URLs. */
export const cookieOf = (secret: string, path: string, publicUrl: string, maxAgeS: number): string =>
  newCookie(COOKIE, secret, path, maxAgeS, publicUrl)

/** The session id of the browser that sent a request. Undefined if it has none. */
export function sessionIn(request: Request): string | undefined {
  const [secret] = cookiesIn(request, COOKIE)
  return secret !== undefined && isSecret(secret) ? idOf(secret) : undefined
}
