/**
 * Origin check: requests from a browser may only come from pages of this service.
 *
 * @module
 */
import type { Config } from '../config.ts'
import { Problem } from './problems.ts'

/** @throws {Problem} 403 if a page of another site sent the request */
export function checkOrigin(
  { publicUrl, port }: Pick<Config, 'publicUrl' | 'port'>,
  { headers }: Request,
): void {
  const origin = headers.get('origin')
  const site = headers.get('sec-fetch-site')
  const own = new URL(publicUrl).origin
  // Until PUBLIC_URL is set, a browser on this machine may use 127.0.0.1 or localhost.
  const isDefault = own === `http://127.0.0.1:${port}`
  const isOwn = origin === own || (isDefault && origin === `http://localhost:${port}`)
  // A page that hides its origin sends "null". A program that is not a browser sends no Origin.
  const isSame = site === 'same-origin' || (origin === null && (site === null || site === 'none'))
  if (isOwn || (isSame && (origin === null || origin === 'null'))) return
  throw new Problem('forbidden-origin')
}
