/**
 * Cookies that identify a page's visitor, hidden from scripts.
 *
 * @module
 */

/** The values of all cookies with a name. There can be several if another site has set one too. */
export const cookiesIn = ({ headers }: Request, name: string): string[] =>
  (headers.get('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))

/** Whether cookies are only sent over https. */
export const isSecure = (publicUrl: string): boolean => publicUrl.startsWith('https:')

/**
 * The value of a Set-Cookie header. It is not `Strict`: the browser would omit the cookie when it reloads a page that
 * was reached by a link from another site.
 *
 * @param maxAgeS 0 deletes the cookie
 */
export const newCookie = (
  name: string,
  value: string,
  path: string,
  maxAgeS: number,
  publicUrl: string,
): string =>
  `${name}=${value}; Path=${path}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${isSecure(publicUrl) ? '; Secure' : ''}`
