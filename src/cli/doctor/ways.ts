/**
 * The doctor's check of the ways out.
 *
 * @module
 */
import { type Config, ConfigError, checkWays, DIRECT, settingsWithoutEffect, wayOf } from '../../config.ts'
import type { Source } from '../../plugin.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Which sources go out through which way, whether each has what its way needs, and which settings have no effect. */
export function waysOut(config: Config, sources: readonly Source[]): Finding {
  const what = 'ways out'
  try {
    checkWays(config, sources)
  } catch (error) {
    if (error instanceof ConfigError) return fail(what, error.message)
    throw error
  }
  const bySource = sources.map(({ name }) => ({ name, way: wayOf(config, name)?.name ?? DIRECT }))
  const words =
    config.ways.size === 0
      ? 'all sources are reached directly'
      : [...Map.groupBy(bySource, ({ way }) => way)]
          .map(([way, its]) => `${way}: ${its.map(({ name }) => name).join(', ')}`)
          .join('; ')
  const warnings = [unusedWords(config, bySource), withoutEffectWords(config, sources)]
  const all = warnings.filter((warning) => warning !== undefined)
  if (all.length > 0) return warn(what, [words, ...all].join('. '))
  return ok(what, config.ways.size === 0 ? words : `${words}. "gleaner proxies check" tries them`)
}

function unusedWords(
  { ways, sourceWays }: Config,
  bySource: readonly { readonly way: string }[],
): string | undefined {
  // A way that a setting names in vain is told of with this setting.
  const used = new Set([...bySource, ...sourceWays.values()].map(({ way }) => way))
  const unused = [...ways.keys()].filter((name) => !used.has(name))
  return unused.length > 0
    ? `No source takes ${unused.join(', ')}: SOURCE_<FAMILY>_PROXY gives a source its way out`
    : undefined
}

function withoutEffectWords(config: Config, sources: readonly Source[]): string | undefined {
  const settings = settingsWithoutEffect(config, sources)
  return settings.length > 0
    ? settings.map(({ setting, reason }) => `${setting} has no effect: ${reason}`).join('. ')
    : undefined
}
