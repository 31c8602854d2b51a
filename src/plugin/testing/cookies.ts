/**
 * The cookies of a login in a test.
 *
 * @module
 */
import type { SavedCookie } from '../../net/cookies.ts'
import type { Source } from '../source.ts'

/** Cookies by name, as the source's origin would have set them. */
export const cookiesOf = (source: Source, cookies: Readonly<Record<string, string>> = {}): SavedCookie[] =>
  Object.entries(cookies).map(([name, value]) => ({
    name,
    value,
    domain: new URL(source.origin).hostname,
    path: '/',
    expires: -1,
    secure: true,
    httpOnly: true,
    sameSite: 'Lax',
  }))
