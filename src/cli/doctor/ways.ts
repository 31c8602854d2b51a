/**
 * The doctor's check of the ways out.
 *
 * @module
 */
import { loadCatalogue, PLUGINS } from '../../catalogue/catalogue.ts'
import { type Config, ConfigError, checkWays, wayOf } from '../../config.ts'
import { type Finding, fail, ok } from './finding.ts'

/** Which sources go out through which way, and whether each has what its way needs. */
export async function waysOut(config: Config): Promise<Finding> {
  const what = 'ways out'
  if (config.ways.size === 0) return ok(what, 'all sources are reached directly')
  const { sources } = await loadCatalogue({ folders: [PLUGINS], config })
  try {
    checkWays(config, sources)
  } catch (error) {
    if (error instanceof ConfigError) return fail(what, error.message)
    throw error
  }
  const bySource = sources.map(({ name }) => ({ name, way: wayOf(config, name)?.name ?? 'direct' }))
  const words = [...Map.groupBy(bySource, ({ way }) => way)].map(
    ([way, its]) => `${way}: ${its.map(({ name }) => name).join(', ')}`,
  )
  return ok(what, words.join('; '))
}
