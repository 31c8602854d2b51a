/**
 * The ways out: the proxies through which requests to sources go, by name, and which source takes which. Their URLs are
 * secrets: an error names the setting, never its value.
 *
 * @module
 */
import { ConfigError, type Env, setting, text, wrongSecret } from './setting.ts'

/** A proxy, or a gateway's template for many. */
export type Entry = {
  /** may contain `{session}` and `{country}` */
  readonly url: string
  /** whether it contains `{session}`: each session is an exit of its own */
  readonly isTemplate: boolean
}

/** A way out by its name; that of PROXY_URL is `default`. It has one entry or more. */
export type Way = { readonly name: string; readonly entries: readonly Entry[] }

/** SOURCE_<FAMILY>_PACE, in place of the source's own pace. */
export type SetPace = { readonly perSecond: number; readonly concurrent?: number }

/** What the settings say of a source's way out. */
export type SourceWay = {
  /** the name of a way, or `direct`; undefined: that of PROXY_URL */
  readonly way: string | undefined
  /** what `{country}` stands for */
  readonly country: string | undefined
  readonly pace: SetPace | undefined
}

/** The part of the settings that names the ways out. */
export type WaySettings = {
  readonly ways: ReadonlyMap<string, Way>
  /** keyed by family in lower case */
  readonly sourceWays: ReadonlyMap<string, SourceWay>
  readonly sourceOrigins: ReadonlyMap<string, string>
}

const DEFAULT = 'default'
/** In place of the name of a way: no proxy. */
export const DIRECT = 'direct'
const PROTOCOLS = ['http:', 'https:', 'socks5:']
const URL_MUST = 'a URL that begins with http://, https:// or socks5://, or several separated by spaces'
const URL_ENCODED = `${URL_MUST}, with # / ? @ in user and password as %23 %2F %3F %40`
/** The name of a way out, in a setting. */
const NAME = /^[A-Za-z0-9_]{1,40}$/
const COUNTRY = /^[A-Za-z0-9_-]{1,40}$/

/**
 * PROXY_URL and PROXY_<NAME>. One that is no way out and that no source names is left out: machines set such variables for
 * other programs, as Kubernetes sets PROXY_PORT for a Service of the name `proxy`.
 *
 * @throws {ConfigError}
 */
export function ways(env: Env): ReadonlyMap<string, Way> {
  const all = new Map<string, Way>()
  const named = new Set(familiesOf(env).map((family) => text(env, `SOURCE_${family}_PROXY`)?.toLowerCase()))
  // Read by its name, so that it counts as a setting of the service.
  const list = text(env, 'PROXY_URL')
  if (list) {
    const fault = faultOf('PROXY_URL', list)
    if (fault) throw fault
    all.set(DEFAULT, wayFrom(DEFAULT, list))
  }
  for (const { setting, name, value } of namedProxies(env)) {
    if (name === DEFAULT)
      throw new ConfigError(`${setting} is no setting: the way out of all other sources is PROXY_URL.`)
    if (name === DIRECT)
      throw new ConfigError(
        `${setting} is no setting: "direct" means that a source has no proxy. Choose another name.`,
      )
    const fault = faultOf(setting, value)
    if (!fault) all.set(name, wayFrom(name, value))
    else if (named.has(name)) throw fault
  }
  return all
}

/** The settings PROXY_<NAME> that are no way out, and that no source names. @param known those of the same environment */
export const ignoredProxies = (env: Env, known: ReadonlyMap<string, Way>): readonly string[] =>
  namedProxies(env).flatMap(({ setting, name }) => (known.has(name) ? [] : [setting]))

/** PROXY_<NAME> without PROXY_URL. */
const namedProxies = (env: Env) =>
  Object.keys(env).flatMap((setting) => {
    const name = /^PROXY_([A-Z0-9_]+)$/.exec(setting)?.[1]?.toLowerCase()
    const value = text(env, setting)
    return name === undefined || value === undefined || name === 'url' ? [] : [{ setting, name, value }]
  })

const wayFrom = (name: string, list: string): Way => ({
  name,
  entries: urlsOf(list).map((url) => ({ url, isTemplate: url.includes('{session}') })),
})

/** Why a list is no way out; undefined: it is one. */
function faultOf(setting: string, list: string): ConfigError | undefined {
  const urls = urlsOf(list)
  for (const [i, url] of urls.entries()) {
    const must = urlFault(url)
    if (must !== undefined)
      return wrongSecret(urls.length > 1 ? `URL ${i + 1} of ${setting}` : setting, list, must)
  }
  return undefined
}

const urlsOf = (list: string): string[] => list.split(/\s+/)

/** What a proxy's URL must be; undefined if it is that. */
function urlFault(url: string): string | undefined {
  if (/^socks5h:/i.test(url)) return 'a URL that begins with socks5://: names are resolved by the proxy'
  if (/,$|,(?:https?|socks5):/i.test(url)) return `${URL_MUST}, not by commas`
  const example = filled(url, { session: 'a', country: 'a' })
  if (/[{}]/.test(example))
    return `${URL_MUST}, in which only {session} and {country} are filled in: write other braces as %7B and %7D`
  const isProxy = PROTOCOLS.some((protocol) => example.toLowerCase().startsWith(`${protocol}//`))
  if (!isProxy) return URL_MUST
  if (!URL.canParse(example)) return URL_ENCODED
  const { hostname, username, password, pathname, search, hash } = new URL(example)
  if (hostname === '') return URL_MUST
  if (!/^\/?$/.test(pathname) || search !== '' || hash !== '') return `${URL_ENCODED}, without a path`
  return [username, password].every(isEncoded)
    ? undefined
    : `${URL_MUST}, in whose user and password a percent sign is written as %25`
}

function isEncoded(part: string): boolean {
  try {
    decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}

/** Fills in an entry's URL. */
export const filled = (
  url: string,
  values: { readonly session?: string; readonly country?: string },
): string => url.replace(/\{(session|country)\}/g, (all, name: 'session' | 'country') => values[name] ?? all)

/** SOURCE_<FAMILY>_PROXY, SOURCE_<FAMILY>_COUNTRY and SOURCE_<FAMILY>_PACE. @throws {ConfigError} */
export function sourceWays(env: Env, known: ReadonlyMap<string, Way>): ReadonlyMap<string, SourceWay> {
  const all = new Map<string, SourceWay>()
  for (const family of familiesOf(env)) {
    const way = wayName(env, `SOURCE_${family}_PROXY`, known)
    const country = setting(
      env,
      `SOURCE_${family}_COUNTRY`,
      undefined,
      'letters, digits, "-" and "_", as the gateway writes countries',
      (value) => (COUNTRY.test(value) ? value : undefined),
    )
    const pace = setPace(env, `SOURCE_${family}_PACE`)
    if (way !== undefined || country !== undefined || pace !== undefined)
      all.set(family.toLowerCase(), { way, country, pace })
  }
  return all
}

/** The families that have one of these settings, in upper case. */
const familiesOf = (env: Env): string[] =>
  Object.keys(env).flatMap((name) => /^SOURCE_([A-Z0-9_]+)_(?:PROXY|COUNTRY|PACE)$/.exec(name)?.[1] ?? [])

function wayName(env: Env, name: string, known: ReadonlyMap<string, Way>): string | undefined {
  const names = [...known.keys(), DIRECT].join(', ')
  return setting(
    env,
    name,
    undefined,
    `the name of a way out (${names}); PROXY_<NAME> makes another`,
    (value) => {
      const way = value.toLowerCase()
      return way === DIRECT || known.has(way) ? way : undefined
    },
    // Anything else may be a URL that was meant for PROXY_<NAME>.
    (_, value, form) => {
      if (!NAME.test(value)) return wrongSecret(name, value, form)
      const maker = `PROXY_${value.toLowerCase() === DEFAULT ? 'URL' : value.toUpperCase()}`
      return new ConfigError(
        `${name} is ${value}, but no way out has this name. There are: ${names}. ${maker} would make it.`,
      )
    },
  )
}

const MOST_PER_SECOND = 1000
const MOST_CONCURRENT = 1000

const setPace = (env: Env, name: string): SetPace | undefined =>
  setting(
    env,
    name,
    undefined,
    `requests a second, such as 10 or 0.5 (at most ${MOST_PER_SECOND}), or 10/4 with the number at once`,
    (value) => {
      const [, perSecond, concurrent] = /^(\d+(?:\.\d+)?)(?:\/(\d+))?$/.exec(value) ?? []
      const pace = { perSecond: Number(perSecond), concurrent: Number(concurrent ?? 1) }
      const isPace = pace.perSecond > 0 && pace.perSecond <= MOST_PER_SECOND
      if (!isPace || pace.concurrent < 1 || pace.concurrent > MOST_CONCURRENT) return undefined
      return concurrent === undefined ? { perSecond: pace.perSecond } : pace
    },
  )

/**
 * The way out of a source, with its country filled in; null: direct, as a replaced origin always is.
 *
 * @param family the source's name
 * @throws {ConfigError} when an entry needs a country and none is set
 */
export function wayOf({ ways, sourceWays, sourceOrigins }: WaySettings, family: string): Way | null {
  const { way: name = DEFAULT, country } = sourceWays.get(family) ?? {}
  const way = ways.get(name)
  if (!way || sourceOrigins.has(family)) return null
  if (country === undefined && needsCountry(way)) throw countryMissing([family])
  const entries = way.entries.map(({ url, isTemplate }) => ({
    url: filled(url, country === undefined ? {} : { country }),
    isTemplate,
  }))
  return { name, entries }
}

/** Checks that every source has what its way out needs. @throws {ConfigError} */
export function checkWays(
  { ways, sourceWays, sourceOrigins }: WaySettings,
  sources: readonly { readonly name: string }[],
): void {
  const missing = sources.filter(({ name }) => {
    const { way = DEFAULT, country } = sourceWays.get(name) ?? {}
    return country === undefined && !sourceOrigins.has(name) && needsCountry(ways.get(way))
  })
  if (missing.length > 0) throw countryMissing(missing.map(({ name }) => name))
}

const needsCountry = (way: Way | undefined): boolean =>
  way?.entries.some(({ url }) => url.includes('{country}')) ?? false

function countryMissing(families: readonly string[]): ConfigError {
  const settings = families.map((family) => `SOURCE_${family.toUpperCase()}_COUNTRY`)
  const isOne = settings.length === 1
  return new ConfigError(
    `${settings.join(', ')} ${isOne ? 'is' : 'are'} required: the way out of ${isOne ? 'this source' : 'these sources'} contains {country}. Or set SOURCE_<FAMILY>_PROXY to another way out, or to direct.`,
  )
}
