/**
 * The cookie of a session.
 *
 * @module
 */
import { cookiesIn, isSecure, newCookie } from '../page/cookie.ts'

/** Of the longest session, in seconds: the service ends it earlier when it is not used. */
const MAX_AGE_S = 90 * 86_400

const nameOf = (publicUrl: string): string =>
  isSecure(publicUrl) ? '__Host-gleaner_session' : 'gleaner_session'

/** The secret that a browser sends; undefined without one, and where it sends several, since somebody else may have set one. */
export function cookieIn(request: Request, publicUrl: string): string | undefined {
  const [secret, ...others] = cookiesIn(request, nameOf(publicUrl))
  return others.length > 0 ? undefined : secret
}

/** @param secret null: the browser is to forget it */
export const cookieOf = (secret: string | null, publicUrl: string): string =>
  newCookie(nameOf(publicUrl), secret ?? '', '/', secret === null ? 0 : MAX_AGE_S, publicUrl)
