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

/**
 * A cookie to be set. Not `Strict`: a page that was reached by a link of another site, and is loaded again, would be
 * without it.
 *
 * @param isSecure whether the page comes over https
 */
export const newCookie = (
  name: string,
  value: string,
  {
    path,
    maxAgeS,
    isSecure,
  }: { readonly path: string; readonly maxAgeS: number; readonly isSecure: boolean },
): string =>
  `${name}=${value}; Path=${path}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
