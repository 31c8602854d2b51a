/**
 * The doctor's check of the contact that the service's `User-Agent` names.
 *
 * @module
 */
import type { Config } from '../../config.ts'
import type { Source } from '../../plugin.ts'
import { type Finding, ok, warn } from './finding.ts'

/** Whether sites learn whom to write to, and which sources are slower without. */
export function contact(config: Config, sources: readonly Source[]): Finding {
  const what = 'contact'
  if (config.contact !== null) return ok(what, `the User-Agent of requests names ${config.contact}`)
  const slower = sources.filter(
    ({ name, pace }) => pace?.withoutContact !== undefined && !config.sourceOrigins.has(name),
  )
  const here = slower.length > 0 ? ` (here: ${slower.map(({ name }) => name).join(', ')})` : ''
  return warn(
    what,
    `the User-Agent of requests names nobody: some sites serve such clients slowly${here} or not at all. Set CONTACT to a URL or an e-mail address, or PUBLIC_URL to an address that anybody can open`,
  )
}
