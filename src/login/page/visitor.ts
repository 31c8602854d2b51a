/**
 * The visitor of a hosted page: by a link that nobody has used, or in the browser that has opened it.
 *
 * @module
 */
import { idOf, isSecret } from '../../ephemeral/tickets.ts'
import { cookiesIn, newCookie } from '../../page/cookie.ts'
import type { KnownLink, SignInLinks } from '../links.ts'

/** A link as its visitor has it. `opened`: by this very browser, by another one, or by nobody yet. */
export type Visitor = {
  readonly link: KnownLink
  /** of the link's token */
  readonly hash: string
  readonly opened: 'here' | 'elsewhere' | 'not-yet'
}

const COOKIE = 'gleaner_login'

/**
 * What a link leads to for who has sent a request; undefined for a link that is unknown, used up or has expired.
 *
 * @param hash of the link's token
 */
export async function visitorOf(
  deps: { readonly now: () => number; readonly signIns: Pick<SignInLinks, 'find'> },
  request: Request,
  hash: string,
): Promise<Visitor | undefined> {
  const link = await deps.signIns.find(hash, deps.now())
  if (!link) return undefined
  // Hashes: how long it takes to compare them tells nothing of the secret.
  const isHere = sessionIn(request) === link.opened
  return { link, hash, opened: link.opened === null ? 'not-yet' : isHere ? 'here' : 'elsewhere' }
}

/** The cookie that binds a link to the browser that has opened it, and is sent to that link's addresses alone. */
export const cookieOf = (secret: string, path: string, publicUrl: string, maxAgeS: number): string =>
  newCookie(COOKIE, secret, path, maxAgeS, publicUrl)

/** The session of the browser that has sent a request; undefined when it has none. */
export function sessionIn(request: Request): string | undefined {
  const [secret] = cookiesIn(request, COOKIE)
  return secret !== undefined && isSecret(secret) ? idOf(secret) : undefined
}
