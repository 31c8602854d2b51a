/**
 * Which pages a browser's request may come from: those of this service alone.
 *
 * @module
 */
import type { Config } from '../config.ts'
import { Problem } from './problems.ts'

/** @throws {Problem} 403 for what a page of another site sends */
export function checkOrigin(
  { publicUrl, port }: Pick<Config, 'publicUrl' | 'port'>,
  { headers }: Request,
): void {
  const origin = headers.get('origin')
  const site = headers.get('sec-fetch-site')
  const own = new URL(publicUrl).origin
  // Until PUBLIC_URL is set, a browser on this machine may call it by either name.
  const isDefault = own === `http://127.0.0.1:${port}`
  const isOwn = origin === own || (isDefault && origin === `http://localhost:${port}`)
  // A page that tells nobody where it is says "null"; a program that is no browser says nothing.
  const isSame = site === 'same-origin' || (origin === null && (site === null || site === 'none'))
  if (isOwn || (isSame && (origin === null || origin === 'null'))) return
  throw new Problem('forbidden-origin')
}
