/**
 * Whether a task needs a login of the account, by what the operator has set.
 *
 * @module
 */

import { credentialsOf } from '../config/sources.ts'
import type { CatalogueTask } from './catalogue.ts'

export type LoginNeed = 'none' | 'optional' | 'needed'

/** @param config with the operator's credentials, which serve a task that shows visitors nothing as well as a login */
export function loginNeed(
  config: { readonly sourceSettings: ReadonlyMap<string, string> },
  { declaration: { needs }, source }: Pick<CatalogueTask, 'declaration' | 'source'>,
): LoginNeed {
  if (needs?.login === undefined) return 'none'
  if (needs.login === true) return 'needed'
  const isNeeded =
    needs.visitors === false && credentialsOf(config, source.name, source.credentials) === undefined
  return isNeeded ? 'needed' : 'optional'
}
