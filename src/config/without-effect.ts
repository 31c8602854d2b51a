/**
 * Settings of sources and ways out that change nothing, which only a look at all of them shows.
 *
 * @module
 */
import { DIRECT, type WaySettings, wayOf } from './ways.ts'

/** @property reason `requests to SOURCE_FORUM_ORIGIN go out directly` */
type WithoutEffect = { readonly setting: string; readonly reason: string }

/**
 * Finds settings that have no effect: those of a source that does not exist, those of the way out of a replaced origin, a
 * country that the source's way out has no place for, and ways out that are none.
 *
 * @param sources all that there are
 */
export function settingsWithoutEffect(
  config: WaySettings & {
    readonly sourceSettings: ReadonlyMap<string, string>
    readonly ignoredProxies: readonly string[]
  },
  sources: readonly { readonly name: string }[],
): readonly WithoutEffect[] {
  const known = new Set(sources.map(({ name }) => name))
  const proxies = config.ignoredProxies.map((setting) => ({
    setting,
    reason: "it is no proxy's URL, and no source names it",
  }))
  const ofSources = [...config.sourceSettings.keys()].flatMap((setting) => {
    const [, family = '', kind] = /^SOURCE_([A-Z0-9_]+)_(ORIGIN|PROXY|COUNTRY|PACE)$/.exec(setting) ?? []
    if (kind === undefined) return []
    const reason = known.has(family.toLowerCase())
      ? reasonOf(config, family, kind)
      : `no source has the name ${family.toLowerCase()}`
    return reason === undefined ? [] : [{ setting, reason }]
  })
  return [...ofSources, ...proxies]
}

function reasonOf(config: WaySettings, family: string, kind: string): string | undefined {
  const name = family.toLowerCase()
  const isReplaced = config.sourceOrigins.has(name)
  if (kind === 'PROXY' && config.sourceWays.get(name)?.way === DIRECT) return undefined
  if (isReplaced && (kind === 'PROXY' || kind === 'COUNTRY'))
    return `requests to SOURCE_${family}_ORIGIN go out directly`
  if (kind !== 'COUNTRY') return undefined
  const way = config.ways.get(wayOf(config, name)?.name ?? '')
  if (!way) return 'this source is reached directly'
  return way.entries.some(({ url }) => url.includes('{country}'))
    ? undefined
    : 'the way out of this source has no {country}'
}
