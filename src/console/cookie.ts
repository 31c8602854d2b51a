/**
 * The cookies of the console: a session, and a sign-in that is pending at a provider.
 *
 * @module
 */
import { cookiesIn, isSecure, newCookie } from '../page/cookie.ts'

/** Lifetimes in seconds. The service ends unused sessions earlier. */
const MAX_AGE_S = { session: 90 * 86_400, provider: 600 } as const
type Kind = keyof typeof MAX_AGE_S

const nameOf = (kind: Kind, publicUrl: string): string =>
  `${isSecure(publicUrl) ? '__Host-' : ''}gleaner_${kind}`

/** The secret in the cookie; undefined without one, or with several, since somebody else may have set one of them. */
export function cookieIn(request: Request, publicUrl: string, kind: Kind = 'session'): string | undefined {
  const [secret, ...others] = cookiesIn(request, nameOf(kind, publicUrl))
  return others.length > 0 ? undefined : secret
}

/** @param secret null: deletes the cookie */
export const cookieOf = (secret: string | null, publicUrl: string, kind: Kind = 'session'): string =>
  newCookie(nameOf(kind, publicUrl), secret ?? '', '/', secret === null ? 0 : MAX_AGE_S[kind], publicUrl)
