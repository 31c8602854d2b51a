/**
 * The doctor's check of the ways out.
 *
 * @module
 */
import { loadCatalogue, PLUGINS } from '../../catalogue/catalogue.ts'
import { type Config, ConfigError, checkWays, DIRECT, wayOf } from '../../config.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

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
  const bySource = sources.map(({ name }) => ({ name, way: wayOf(config, name)?.name ?? DIRECT }))
  const words = [...Map.groupBy(bySource, ({ way }) => way)].map(
    ([way, its]) => `${way}: ${its.map(({ name }) => name).join(', ')}`,
  )
  const unused = [...config.ways.keys()].filter((name) => bySource.every(({ way }) => way !== name))
  if (unused.length > 0)
    return warn(
      what,
      `${words.join('; ')}. No source takes ${unused.join(', ')}: SOURCE_<FAMILY>_PROXY gives a source its way out`,
    )
  return ok(what, `${words.join('; ')}. "gleaner proxies check" tries them`)
}
