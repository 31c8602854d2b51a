/**
 * The settings: the environment, read once, checked, and explained. Imports nothing of ours.
 *
 * @module
 */
import { statSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'

export const ROLES = ['api', 'worker', 'projector'] as const
export type Role = (typeof ROLES)[number]

/** Credentials, region and endpoint for S3_URL, where they don't stand in it. */
const AWS_NAMES = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'AWS_ENDPOINT_URL',
  'AWS_ENDPOINT_URL_S3',
] as const

/** 32 bytes in base64. */
const VAULT_KEY = /^[A-Za-z0-9+/]{43}=$/

type Env = Readonly<Record<string, string | undefined>>

/** All settings, checked. Times are in the unit that the name says. */
export type Config = {
  readonly host: string
  readonly port: number
  /** no slash at its end */
  readonly publicUrl: string
  /** absolute */
  readonly dataDir: string
  readonly roles: ReadonlySet<Role>
  /** both or neither: {@link isEmbedded} */
  readonly eventstoreUrl: string | null
  readonly redisUrl: string | null
  readonly s3Url: string | null
  /** what S3_URL leaves open, by the usual names: {@link AWS_NAMES} */
  readonly aws: Env
  readonly operatorKey: string | null
  readonly bootstrapKey: string | null
  readonly bootstrapCredits: number
  /** by family in lower case: where its requests go instead, without a slash at its end */
  readonly sourceOrigins: ReadonlyMap<string, string>
  /** absolute */
  readonly pluginsDir: string | null
  readonly chromiumPath: string | null
  readonly proxyUrl: string | null
  readonly workerConcurrency: number
  readonly accountConcurrency: number
  readonly rate: { readonly kickoff: number; readonly read: number; readonly admin: number }
  readonly syncWaitS: number
  readonly queueLimitS: number
  readonly runLimitS: number
  readonly leaseS: number
  readonly shutdownGraceS: number
  readonly resultRetentionDays: number
  readonly runFilesLimitMb: number
  readonly diskFreeMinMb: number
  readonly vaultKey: string | null
  /** the one before, during a rotation */
  readonly vaultKeyOld: string | null
  /** whose X-Forwarded-For is believed */
  readonly trustedProxies: BlockList
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
}

/** Whether one process has everything, log and read models, in DATA_DIR; else EventStoreDB and Redis have them. */
export const isEmbedded = ({ eventstoreUrl }: Pick<Config, 'eventstoreUrl'>): boolean =>
  eventstoreUrl === null

/** A setting that can't be used: its name, its value (never a secret's) and what it must be. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Reads the settings.
 *
 * @param env the environment
 * @param options.roles overrides ROLES, as `--roles` does
 * @throws {ConfigError} for the first setting that can't be used
 */
export function readConfig(env: Env, options: { readonly roles?: string | undefined } = {}): Config {
  const host = text(env, 'HOST') ?? '127.0.0.1'
  const port = number(env, 'PORT', 3000, { min: 0, max: 65535, integer: true })
  const eventstoreUrl = url(
    env,
    'EVENTSTORE_URL',
    ['esdb:', 'esdb+discover:', 'kurrentdb:', 'kurrentdb+discover:'],
    true,
  )
  const redisUrl = url(env, 'REDIS_URL', ['redis:', 'rediss:'], true)
  if ((eventstoreUrl === null) !== (redisUrl === null)) {
    const [set, missing] = eventstoreUrl ? ['EVENTSTORE_URL', 'REDIS_URL'] : ['REDIS_URL', 'EVENTSTORE_URL']
    throw new ConfigError(
      `${set} is set but ${missing} is not. Set both to share stores between processes, or neither to run one process on DATA_DIR.`,
    )
  }
  const vaultKey = secret(env, 'VAULT_KEY', VAULT_KEY, '32 bytes in base64')
  if (eventstoreUrl && !vaultKey) {
    throw new ConfigError(
      'VAULT_KEY is required with EVENTSTORE_URL. Set it to 32 bytes in base64, for example from "openssl rand -base64 32".',
    )
  }
  return Object.freeze({
    host,
    port,
    publicUrl: publicUrl(env, host, port),
    dataDir: resolve(text(env, 'DATA_DIR') ?? './data'),
    roles: roles(options.roles ?? text(env, 'ROLES')),
    eventstoreUrl,
    redisUrl,
    s3Url: url(env, 'S3_URL', ['http:', 'https:', 's3:'], true),
    aws: Object.fromEntries(AWS_NAMES.map((name) => [name, env[name]])),
    operatorKey: secret(
      env,
      'OPERATOR_KEY',
      /^[\x21-\x7e]{32,}$/,
      '32 or more printable characters without spaces',
    ),
    bootstrapKey: text(env, 'BOOTSTRAP_KEY') ?? null,
    bootstrapCredits: number(env, 'BOOTSTRAP_CREDITS', 1000, { min: 0, max: 1e9, integer: true }),
    sourceOrigins: sourceOrigins(env),
    pluginsDir: folder(env, 'PLUGINS_DIR'),
    chromiumPath: text(env, 'CHROMIUM_PATH') ?? null,
    proxyUrl: url(env, 'PROXY_URL', ['http:', 'https:'], true),
    workerConcurrency: number(env, 'WORKER_CONCURRENCY', availableParallelism() * 4, {
      min: 1,
      max: 1000,
      integer: true,
    }),
    accountConcurrency: number(env, 'ACCOUNT_CONCURRENCY', 10, { min: 0, max: 1e6, integer: true }),
    rate: {
      kickoff: number(env, 'RATE_KICKOFF', 120, { min: 0, max: 1e9, integer: true }),
      read: number(env, 'RATE_READ', 1200, { min: 0, max: 1e9, integer: true }),
      admin: number(env, 'RATE_ADMIN', 60, { min: 0, max: 1e9, integer: true }),
    },
    syncWaitS: number(env, 'SYNC_WAIT_S', 60, { min: 0, max: 3600 }),
    queueLimitS: number(env, 'QUEUE_LIMIT_S', 900, { min: 0.001, max: 1e7 }),
    runLimitS: number(env, 'RUN_LIMIT_S', 300, { min: 0.001, max: 1e6 }),
    leaseS: number(env, 'LEASE_S', 30, { min: 0.5, max: 3600 }),
    shutdownGraceS: number(env, 'SHUTDOWN_GRACE_S', 20, { min: 0, max: 3600 }),
    resultRetentionDays: number(env, 'RESULT_RETENTION_DAYS', 30, { min: 0, max: 36500 }),
    runFilesLimitMb: number(env, 'RUN_FILES_LIMIT_MB', 10_240, { min: 1, max: 1e9, integer: true }),
    diskFreeMinMb: number(env, 'DISK_FREE_MIN_MB', 1024, { min: 0, max: 1e9, integer: true }),
    vaultKey,
    vaultKeyOld: secret(env, 'VAULT_KEY_OLD', VAULT_KEY, '32 bytes in base64'),
    trustedProxies: trustedProxies(env),
    logLevel: oneOf(env, 'LOG_LEVEL', 'info', [
      'trace',
      'debug',
      'info',
      'warn',
      'error',
      'fatal',
      'silent',
    ] as const),
  })
}

/** A setting's text without blanks around it; undefined when it is not set, or set to nothing. */
const text = (env: Env, name: string): string | undefined => env[name]?.trim() || undefined

/** A password in an address is not shown, wherever somebody has put one. */
const wrong = (name: string, value: string, form: string): ConfigError => {
  const shown = value.replace(/(?<=\/\/[^/:@]*:)[^/@]*(?=@)/, '…')
  return new ConfigError(`${name} is ${JSON.stringify(shown)}, but must be ${form}.`)
}

/** For a setting whose value is secret, or may hold a password. */
const wrongSecret = (name: string, form: string): ConfigError =>
  new ConfigError(`${name} must be ${form}. Its value is not shown.`)

function number(
  env: Env,
  name: string,
  fallback: number,
  { min, max, integer = false }: { min: number; max: number; integer?: boolean },
): number {
  const given = text(env, name)
  if (given === undefined) return fallback
  const value = /^\d+(\.\d+)?$/.test(given) ? Number(given) : Number.NaN
  if (!(value >= min && value <= max) || (integer && !Number.isInteger(value))) {
    throw wrong(name, given, `${integer ? 'a whole number' : 'a number'} from ${min} to ${max}`)
  }
  return value
}

function oneOf<T extends string>(env: Env, name: string, fallback: T, values: readonly T[]): T {
  const given = text(env, name)
  if (given === undefined) return fallback
  const value = values.find((v) => v === given.toLowerCase())
  if (!value) throw wrong(name, given, `one of ${values.join(', ')}`)
  return value
}

/** @param credentials whether it may hold a password, which an error must not show */
function url(env: Env, name: string, protocols: readonly string[], credentials: boolean): string | null {
  const given = text(env, name)
  if (given === undefined) return null
  const parsed = URL.canParse(given) ? new URL(given) : undefined
  const form = `a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`
  // A connection string of a cluster names several hosts, which URL refuses.
  const known = protocols.some((p) => given.startsWith(`${p}//`) && given.length > p.length + 2)
  if (!known || (!parsed && !name.startsWith('EVENTSTORE'))) {
    throw credentials ? wrongSecret(name, form) : wrong(name, given, form)
  }
  return given
}

function folder(env: Env, name: string): string | null {
  const given = text(env, name)
  if (given === undefined) return null
  const path = resolve(given)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path
  throw wrong(name, given, 'the path of an existing folder')
}

function secret(env: Env, name: string, pattern: RegExp, form: string): string | null {
  const given = text(env, name)
  if (given === undefined) return null
  if (!pattern.test(given)) throw wrongSecret(name, form)
  return given
}

function publicUrl(env: Env, host: string, port: number): string {
  const given = url(env, 'PUBLIC_URL', ['http:', 'https:'], false)
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return (given ?? `http://${name.includes(':') ? `[${name}]` : name}:${port}`).replace(/\/+$/, '')
}

function roles(given: string | undefined): ReadonlySet<Role> {
  if (given === undefined) return new Set(ROLES)
  const names = given.split(',').map((name) => name.trim())
  for (const name of names) {
    if (!(ROLES as readonly string[]).includes(name)) {
      throw wrong('ROLES', given, `a comma-separated list of ${ROLES.join(', ')}`)
    }
  }
  return new Set(names as Role[])
}

/** SOURCE_<FAMILY>_ORIGIN, an address that may have a path. */
function sourceOrigins(env: Env): ReadonlyMap<string, string> {
  const origins = new Map<string, string>()
  for (const name of Object.keys(env)) {
    const family = /^SOURCE_([A-Z0-9_]+)_ORIGIN$/.exec(name)?.[1]
    if (!family) continue
    const given = url(env, name, ['http:', 'https:'], false)
    if (given === null) continue
    const { search, hash, username } = new URL(given)
    if (search || hash || username) throw wrong(name, given, 'a URL without user name, query or fragment')
    origins.set(family.toLowerCase(), given.replace(/\/+$/, ''))
  }
  return origins
}

/** TRUSTED_PROXIES: addresses, or ranges as CIDR, with commas between them. */
function trustedProxies(env: Env): BlockList {
  const given = text(env, 'TRUSTED_PROXIES')
  const list = new BlockList()
  for (const entry of given?.split(',').map((part) => part.trim()) ?? []) {
    const [address = '', length, ...rest] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    const most = family === 'ipv6' ? 128 : 32
    const bits = length === undefined ? most : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN
    if (isIP(address) === 0 || !(bits <= most) || rest.length > 0) {
      throw wrong(
        'TRUSTED_PROXIES',
        given ?? '',
        'a comma-separated list of IP addresses or ranges such as 10.0.0.0/8',
      )
    }
    list.addSubnet(address, bits, family)
  }
  return list
}
