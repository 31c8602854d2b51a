/**
 * Reading and setting the cookies of a mock site.
 *
 * @module
 */
import type { IncomingHttpHeaders } from 'node:http'

/** The cookies of a request, by name. */
export function cookiesOf({ cookie = '' }: IncomingHttpHeaders): ReadonlyMap<string, string> {
  const pairs = cookie.split(';').map((pair) => pair.trim().split('='))
  return new Map(pairs.map(([name = '', ...value]) => [name, value.join('=')]))
}

/**
 * The value of a `Set-Cookie`, for the whole site.
 *
 * @param maxAgeS how long it lasts, in seconds, 0 to delete it; undefined: until the browser closes
 */
export function setCookie(name: string, value: string, httpOnly: boolean, maxAgeS?: number): string {
  const parts = [`${name}=${value}`, 'Path=/', 'Secure', 'SameSite=Lax']
  if (httpOnly) parts.push('HttpOnly')
  if (maxAgeS !== undefined) parts.push(`Max-Age=${maxAgeS}`)
  return parts.join('; ')
}
