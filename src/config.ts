/**
 * The settings: reads the environment once, and validates it. `config/` has the parsers of single settings.
 *
 * @module
 */
import { BlockList, isIP } from 'node:net'
import { resolve } from 'node:path'
import { defaultPages, defaultRuns } from './config/machine.ts'
import {
  base,
  ConfigError,
  choice,
  type Env,
  EVENTSTORE,
  folder,
  HTTP,
  number,
  pattern,
  setting,
  text,
  url,
  wrong,
  wrongSecret,
} from './config/setting.ts'
import { contact, sourceOrigins, sourceSettings } from './config/sources.ts'
import { ignoredProxies, sourceWays, ways } from './config/ways.ts'

export { ConfigError } from './config/setting.ts'
export { allCredentials, type Credentials, credentialsOf } from './config/sources.ts'
export { checkWays, DIRECT, type Way, type WaySettings, wayOf } from './config/ways.ts'
export { settingsWithoutEffect } from './config/without-effect.ts'

export const PROCESS_ROLES = ['api', 'worker', 'projector'] as const
export type ProcessRole = (typeof PROCESS_ROLES)[number]

/** Credentials, region and endpoint for S3_URL, if the URL does not contain them. */
const AWS_NAMES = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'AWS_ENDPOINT_URL',
  'AWS_ENDPOINT_URL_S3',
] as const

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

const OPERATOR_KEY = /^[\x21-\x7e]{32,}$/
/** An e-mail address, alone or in angle brackets after a name. */
const SENDER = /^([^<>]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/
const VAULT_KEY = /^[A-Za-z0-9+/]{43}=$/

/** All settings, checked. Times are in the unit that the name says. */
export type Config = ReturnType<typeof readConfig>

/**
 * Whether the event log is a file in DATA_DIR, which only one process may use: without EVENTSTORE_URL. Otherwise it is in
 * EventStoreDB, with the read models in Redis, and processes share both.
 */
export const hasEmbeddedLog = ({ eventstoreUrl }: Pick<Config, 'eventstoreUrl'>): boolean =>
  eventstoreUrl === null

const INTEGER = { integer: true }
const HOST_MUST = 'a host name, or an IP address without brackets'
const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/**
 * Reads the settings.
 *
 * @param env the environment
 * @param options.roles overrides ROLES, as `--roles` does
 * @throws {ConfigError} for the first invalid setting
 */
export function readConfig(env: Env, options: { readonly roles?: string | undefined } = {}) {
  const host = setting(env, 'HOST', '127.0.0.1', HOST_MUST, (value) =>
    URL.canParse(`http://${inUrl(value)}`) && !/[/?#@\\]/.test(value) ? value : undefined,
  )
  const port = number(env, 'PORT', 3000, 0, 65535, INTEGER)
  const allWays = ways(env)
  const config = {
    host,
    port,
    /** no trailing slash */
    publicUrl: publicUrl(env, host, port),
    /** whom the `User-Agent` of the service's own requests names: a URL or an e-mail address; null: nobody */
    contact: contact(env, publicUrl(env, host, port)),
    /** absolute */
    dataDir: resolve(text(env, 'DATA_DIR') ?? './data'),
    roles: roles(options.roles ?? text(env, 'ROLES')),
    /** this and `redisUrl`: both or neither, see {@link hasEmbeddedLog} */
    eventstoreUrl: url(env, 'EVENTSTORE_URL', EVENTSTORE, wrongSecret),
    redisUrl: url(env, 'REDIS_URL', ['redis:', 'rediss:'], wrongSecret),
    s3Url: url(env, 'S3_URL', ['http:', 'https:', 's3:'], wrongSecret),
    /** settings missing in S3_URL, by the usual names: {@link AWS_NAMES} */
    aws: Object.fromEntries(AWS_NAMES.map((name) => [name, env[name]])) as Env,
    operatorKey: pattern(env, 'OPERATOR_KEY', OPERATOR_KEY, '32 or more printable characters without spaces'),
    bootstrapKey: text(env, 'BOOTSTRAP_KEY') ?? null,
    bootstrapCredits: number(env, 'BOOTSTRAP_CREDITS', 1000, 0, 1e9, INTEGER),
    /** keyed by family in lower case: the URL that replaces the source's origin, without a trailing slash */
    sourceOrigins: sourceOrigins(env),
    /** all settings SOURCE_…, for {@link credentialsOf} */
    sourceSettings: sourceSettings(env),
    /** absolute */
    pluginsDir: folder(env, 'PLUGINS_DIR'),
    chromiumPath: text(env, 'CHROMIUM_PATH') ?? null,
    /** the ways out by their names; that of PROXY_URL is `default` */
    ways: allWays,
    /** settings PROXY_<NAME> that are no way out, and that no source names */
    ignoredProxies: ignoredProxies(env, allWays),
    /** keyed by family in lower case; see `wayOf` in config/ways.ts */
    sourceWays: sourceWays(env, allWays),
    workerConcurrency: number(env, 'WORKER_CONCURRENCY', defaultRuns(), 1, 1000, INTEGER),
    runsPerProcess: number(env, 'RUNS_PER_PROCESS', 32, 1, 1000, INTEGER),
    browserPages: number(env, 'BROWSER_PAGES', defaultPages(), 1, 1000, INTEGER),
    accountConcurrency: number(env, 'ACCOUNT_CONCURRENCY', 10, 0, 1e6, INTEGER),
    rate: {
      kickoff: number(env, 'RATE_KICKOFF', 120, 0, 1e9, INTEGER),
      read: number(env, 'RATE_READ', 1200, 0, 1e9, INTEGER),
      admin: number(env, 'RATE_ADMIN', 60, 0, 1e9, INTEGER),
    },
    syncWaitS: number(env, 'SYNC_WAIT_S', 60, 0, 3600),
    queueLimitS: number(env, 'QUEUE_LIMIT_S', 900, 0.001, 1e7),
    runLimitS: number(env, 'RUN_LIMIT_S', 300, 0.001, 1e6),
    /** `daily`: every task is tried each day by the account `canary` */
    canary: choice(env, 'CANARY', ['off', 'daily'], 'off'),
    leaseS: number(env, 'LEASE_S', 30, 0.5, 3600),
    shutdownGraceS: number(env, 'SHUTDOWN_GRACE_S', 20, 0, 3600),
    resultRetentionDays: number(env, 'RESULT_RETENTION_DAYS', 30, 0, 36500),
    runFilesLimitMb: number(env, 'RUN_FILES_LIMIT_MB', 10_240, 1, 1e9, INTEGER),
    diskFreeMinMb: number(env, 'DISK_FREE_MIN_MB', 1024, 0, 1e9, INTEGER),
    vaultKey: pattern(env, 'VAULT_KEY', VAULT_KEY, '32 bytes in base64'),
    /** the previous key, during a rotation */
    vaultKeyOld: pattern(env, 'VAULT_KEY_OLD', VAULT_KEY, '32 bytes in base64'),
    /** proxies whose X-Forwarded-For is trusted */
    trustedProxies: addressList(env, 'TRUSTED_PROXIES', RANGES_MUST),
    /** `open`: anyone may create an account */
    signUp: choice(env, 'SIGN_UP', ['invite', 'open'], 'invite'),
    /** initial credits of such an account */
    signUpCredits: number(env, 'SIGN_UP_CREDITS', 0, 0, 1e9, INTEGER),
    /** a sentence at the top of every page of the console */
    consoleNotice: text(env, 'CONSOLE_NOTICE') ?? null,
    /** who may see the status page: `members` (anybody who is signed in), or `public` (everybody) */
    statusPage: choice(env, 'STATUS_PAGE', ['members', 'public'], 'members'),
    /** an OpenID Connect provider for signing in to the console */
    oidcIssuer: url(env, 'OIDC_ISSUER', HTTP),
    oidcClientId: text(env, 'OIDC_CLIENT_ID') ?? null,
    oidcClientSecret: text(env, 'OIDC_CLIENT_SECRET') ?? null,
    /** label of the button */
    oidcName: text(env, 'OIDC_NAME') ?? 'single sign-on',
    /** mail server for invitations and password reset links */
    smtpUrl: url(env, 'SMTP_URL', ['smtp:', 'smtps:'], wrongSecret),
    mailFrom: pattern(env, 'MAIL_FROM', SENDER, 'an address, such as Gleaner <gleaner@example.org>', wrong),
    /** hosts that webhooks may reach although they are not public, and without encryption */
    webhookAllowHosts: webhookAllowHosts(env),
    webhookRetriesS: webhookRetries(env),
    logLevel: choice(env, 'LOG_LEVEL', LOG_LEVELS, 'info'),
  }
  const { eventstoreUrl, redisUrl, vaultKey, smtpUrl, mailFrom, oidcIssuer, oidcClientId } = config
  if (oidcIssuer && !oidcClientId)
    throw new ConfigError(
      'OIDC_CLIENT_ID is required with OIDC_ISSUER. Set it to the client id of this service at the provider.',
    )
  if (smtpUrl && !mailFrom)
    throw new ConfigError(
      'MAIL_FROM is required with SMTP_URL. Set it to the sender, for example gleaner@example.org.',
    )
  if ((eventstoreUrl === null) !== (redisUrl === null)) {
    const [set, missing] = eventstoreUrl ? ['EVENTSTORE_URL', 'REDIS_URL'] : ['REDIS_URL', 'EVENTSTORE_URL']
    throw new ConfigError(
      `${set} is set but ${missing} is not. Set both to share stores between processes, or neither to run one process on DATA_DIR.`,
    )
  }
  if (eventstoreUrl && !vaultKey) {
    throw new ConfigError(
      'VAULT_KEY is required with EVENTSTORE_URL. Set it to 32 bytes in base64, for example from "openssl rand -base64 32".',
    )
  }
  return Object.freeze(config) as Readonly<typeof config>
}

function publicUrl(env: Env, host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return base(env, 'PUBLIC_URL') ?? `http://${inUrl(name)}:${port}`
}

function roles(value: string | undefined): ReadonlySet<ProcessRole> {
  if (value === undefined) return new Set(PROCESS_ROLES)
  const names = value.split(',').map((name) => name.trim())
  const isRole = (name: string): name is ProcessRole => PROCESS_ROLES.some((role) => role === name)
  if (!names.every(isRole))
    throw wrong('ROLES', value, `a comma-separated list of ${PROCESS_ROLES.join(', ')}`)
  return new Set(names)
}

/** WEBHOOK_ALLOW_HOSTS: comma-separated host names, IP addresses or CIDR ranges. */
function webhookAllowHosts(env: Env) {
  const hosts = new Set<string>()
  const addresses = addressList(env, 'WEBHOOK_ALLOW_HOSTS', HOSTS_MUST, hosts)
  return { hosts: hosts as ReadonlySet<string>, addresses }
}

/** WEBHOOK_RETRIES_S: the delays between attempts of a delivery, in seconds. */
const webhookRetries = (env: Env): readonly number[] =>
  setting(
    env,
    'WEBHOOK_RETRIES_S',
    [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
    '1 to 20 whole numbers of seconds, such as 5,300,1800',
    (value) => (/^\d{1,6}(\s*,\s*\d{1,6}){0,19}$/.test(value) ? value.split(',').map(Number) : undefined),
  )

const RANGES_MUST = 'a comma-separated list of IP addresses or ranges such as 10.0.0.0/8'
const HOSTS_MUST =
  'a comma-separated list of host names, IP addresses or ranges such as hooks.internal,10.0.0.0/8'
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i

/** Comma-separated IP addresses or CIDR ranges. @param hosts receives host names; undefined: they are invalid */
function addressList(env: Env, name: string, form: string, hosts?: Set<string>): BlockList {
  const list = new BlockList()
  for (const entry of text(env, name)?.split(',') ?? []) {
    const address = entry.trim()
    if (addRange(list, address)) continue
    if (!hosts || !HOST_NAME.test(address)) throw wrong(name, text(env, name) ?? '', form)
    hosts.add(address.toLowerCase())
  }
  return list
}

/** @returns false when the entry is neither an IP address nor a range */
function addRange(list: BlockList, entry: string): boolean {
  const [address = '', length, ...rest] = entry.split('/')
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  const most = family === 'ipv6' ? 128 : 32
  const bits = length === undefined ? most : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN
  if (isIP(address) === 0 || !(bits <= most) || rest.length > 0) return false
  list.addSubnet(address, bits, family)
  return true
}
