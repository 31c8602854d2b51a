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
  const ignored = ignoredWords(config)
  if (config.ways.size === 0) {
    const words = 'all sources are reached directly'
    return ignored === undefined ? ok(what, words) : warn(what, `${words}. ${ignored}`)
  }
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
  const untaken =
    unused.length > 0
      ? `No source takes ${unused.join(', ')}: SOURCE_<FAMILY>_PROXY gives a source its way out`
      : undefined
  const warnings = [untaken, ignored].filter((warning) => warning !== undefined)
  if (warnings.length > 0) return warn(what, [words.join('; '), ...warnings].join('. '))
  return ok(what, `${words.join('; ')}. "gleaner proxies check" tries them`)
}

const ignoredWords = ({ ignoredProxies: names }: Config): string | undefined =>
  names.length > 0 ? `No proxy's URL, and named by no source, so ignored: ${names.join(', ')}` : undefined
