/**
 * The cookies of the console: a session, a sign-in that is pending at a provider, and a form that waits for a sign-in.
 *
 * @module
 */
import { cookiesIn, isSecure, newCookie } from '../page/cookie.ts'

/** Lifetimes in seconds. The service ends unused sessions earlier. */
const MAX_AGE_S = { session: 90 * 86_400, provider: 600, form: 600 } as const
type Kind = keyof typeof MAX_AGE_S

const nameOf = (kind: Kind, publicUrl: string): string =>
  `${isSecure(publicUrl) ? '__Host-' : ''}gleaner_${kind}`

/** The value of the cookie; undefined without one, or with several, since somebody else may have set one of them. */
export function cookieIn(request: Request, publicUrl: string, kind: Kind = 'session'): string | undefined {
  const [value, ...others] = cookiesIn(request, nameOf(kind, publicUrl))
  return others.length > 0 ? undefined : value
}

/** @param value null: deletes the cookie */
export const cookieOf = (value: string | null, publicUrl: string, kind: Kind = 'session'): string =>
  newCookie(nameOf(kind, publicUrl), value ?? '', '/', value === null ? 0 : MAX_AGE_S[kind], publicUrl)
