/**
 * The cookie of a session.
 *
 * @module
 */

/** Of the longest session, in seconds: the service ends it earlier when it is not used. */
const MAX_AGE_S = 90 * 86_400

const isSecure = (publicUrl: string): boolean => publicUrl.startsWith('https:')
const nameOf = (publicUrl: string): string =>
  isSecure(publicUrl) ? '__Host-gleaner_session' : 'gleaner_session'

/** The secret that a browser sends; undefined without one, and where it sends several, since somebody else may have set one. */
export function cookieIn({ headers }: Request, publicUrl: string): string | undefined {
  const name = `${nameOf(publicUrl)}=`
  const pairs = (headers.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  const [pair, ...others] = pairs.filter((each) => each.startsWith(name))
  return others.length > 0 ? undefined : pair?.slice(name.length)
}

/** @param secret null: the browser is to forget it */
export function cookieOf(secret: string | null, publicUrl: string): string {
  const secure = isSecure(publicUrl) ? '; Secure' : ''
  const maxAge = secret === null ? 0 : MAX_AGE_S
  return `${nameOf(publicUrl)}=${secret ?? ''}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`
}
