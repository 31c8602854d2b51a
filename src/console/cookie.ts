/**
 * The cookie of a session.
 *
 * @module
 */
import { cookiesIn, isSecure, newCookie } from '../page/cookie.ts'

/** The longest session, in seconds. The service ends unused sessions earlier. */
const MAX_AGE_S = 90 * 86_400

const nameOf = (publicUrl: string): string =>
  isSecure(publicUrl) ? '__Host-gleaner_session' : 'gleaner_session'

/** The secret in the cookie; undefined without one, or with several, since somebody else may have set one of them. */
export function cookieIn(request: Request, publicUrl: string): string | undefined {
  const [secret, ...others] = cookiesIn(request, nameOf(publicUrl))
  return others.length > 0 ? undefined : secret
}

/** @param secret null: deletes the cookie */
export const cookieOf = (secret: string | null, publicUrl: string): string =>
  newCookie(nameOf(publicUrl), secret ?? '', '/', secret === null ? 0 : MAX_AGE_S, publicUrl)
