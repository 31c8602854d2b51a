/**
 * The settings of sources: replaced origins, credentials, and the contact that sources see.
 *
 * @module
 */
import { isIP } from 'node:net'
import { base, ConfigError, type Env, HTTP, setting, text } from './setting.ts'

/** SOURCE_<FAMILY>_ORIGIN: a URL that may have a path. */
export function sourceOrigins(env: Env): ReadonlyMap<string, string> {
  const origins = new Map<string, string>()
  for (const name of Object.keys(env)) {
    const family = /^SOURCE_([A-Z0-9_]+)_ORIGIN$/.exec(name)?.[1]
    const value = family && base(env, name)
    if (value) origins.set(family.toLowerCase(), value)
  }
  return origins
}

/** All settings SOURCE_…, by their names: only the plugins know which credentials there are. */
export const sourceSettings = (env: Env): ReadonlyMap<string, string> =>
  new Map(
    Object.keys(env)
      .filter((name) => name.startsWith('SOURCE_'))
      .flatMap((name) => {
        const value = text(env, name)
        return value === undefined ? [] : [[name, value] as const]
      }),
  )

/** By the names that its plugin declares: a source's settings SOURCE_<FAMILY>_<NAME>. */
export type Credentials = Readonly<Record<string, string>>

/**
 * The operator's credentials for a source.
 *
 * @param names the names that the source declares
 * @returns undefined when none of them is set, or none is declared
 * @throws {ConfigError} when only some of them are set
 */
export function credentialsOf(
  { sourceSettings }: { readonly sourceSettings: ReadonlyMap<string, string> },
  family: string,
  names: readonly string[] = [],
): Credentials | undefined {
  const settings = names.map((name) => `SOURCE_${family.toUpperCase()}_${name}`)
  const missing = settings.find((setting) => !sourceSettings.has(setting))
  const set = settings.find((setting) => sourceSettings.has(setting))
  if (set === undefined) return undefined
  if (missing !== undefined)
    throw new ConfigError(`${set} is set but ${missing} is not. Set both, or neither.`)
  return Object.fromEntries(names.map((name, i) => [name, sourceSettings.get(settings[i]!)!]))
}

/** The operator's credentials for all sources, by the names of the sources. @throws {ConfigError} as {@link credentialsOf} */
export const allCredentials = (
  config: Parameters<typeof credentialsOf>[0],
  sources: readonly { readonly name: string; readonly credentials?: readonly string[] }[],
): ReadonlyMap<string, Credentials> =>
  new Map(
    sources.flatMap(({ name, credentials }) => {
      const own = credentialsOf(config, name, credentials)
      return own ? [[name, own] as const] : []
    }),
  )

const CONTACT_MUST =
  'a public http(s) URL or an e-mail address: nobody else can open one of this machine or of a local network'

/** CONTACT; default PUBLIC_URL, if others than this machine or network can open it. */
export function contact(env: Env, publicUrl: string): string | null {
  const isContact = (value: string) => {
    const [, mailHost] = /^[^\s<>()@]+@([^\s<>()@]+)$/.exec(value) ?? []
    if (mailHost !== undefined) return isPublicName(mailHost)
    return URL.canParse(value) && isPublic(new URL(value))
  }
  const fallback = isPublic(new URL(publicUrl)) ? publicUrl : null
  return setting(env, 'CONTACT', fallback, CONTACT_MUST, (value) => (isContact(value) ? value : undefined))
}

/** Whether a URL names a host that strangers may know: no IP address, no name of a local network. */
export const isPublic = ({ protocol, hostname }: URL): boolean =>
  HTTP.includes(protocol) && isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && isPublicName(hostname)

/** Top-level domains of this machine, of local networks, and of no network at all. */
const LOCAL = /\.(?:local|localdomain|localhost|internal|lan|home|arpa|test|invalid)\.?$/i

const isPublicName = (name: string): boolean => /\.[a-z]/i.test(name) && !LOCAL.test(name)
