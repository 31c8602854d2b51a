/**
 * Cookies that tell a page's visitor, and that no script sees.
 *
 * @module
 */

/** The values that a browser sends under a name: several where somebody else has set one too. */
export const cookiesIn = ({ headers }: Request, name: string): string[] =>
  (headers.get('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))

/** Whether cookies go over https alone. */
export const isSecure = (publicUrl: string): boolean => publicUrl.startsWith('https:')

/**
 * A cookie to be set. Not `Strict`: a page that was reached by a link of another site, and is loaded again, would be
 * without it.
 *
 * @param maxAgeS 0: the browser is to forget it
 */
export const newCookie = (
  name: string,
  value: string,
  path: string,
  maxAgeS: number,
  publicUrl: string,
): string =>
  `${name}=${value}; Path=${path}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${isSecure(publicUrl) ? '; Secure' : ''}`
