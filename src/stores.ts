/**
 * Opens the configured back ends. Only this file and main.ts import adapters.
 *
 * @module
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Artifacts } from './artifacts/artifacts.ts'
import { openFolderArtifacts, openSqliteArtifacts } from './artifacts/sqlite.ts'
import { clock } from './async/clock.ts'
import { type Config, hasEmbeddedLog, PROCESS_ROLES } from './config.ts'
import type { EphemeralStore } from './ephemeral/ephemeral-store.ts'
import { openSqliteEphemeralStore } from './ephemeral/sqlite/ephemeral-store.ts'
import { openSqliteTickets } from './ephemeral/sqlite/tickets.ts'
import type { Tickets } from './ephemeral/tickets.ts'
import { orUnavailable } from './log/away.ts'
import { type EventLog, type LogOptions, StoreUnavailable } from './log/event-log.ts'
import { openSqliteLog, SqliteLog } from './log/sqlite/log.ts'
import type { ReadModels } from './read/read-models.ts'
import { openSqliteReadModels } from './read/sqlite/read-models.ts'
import { type LiveItems, LocalLiveItems } from './runs/items/live-items.ts'
import type { SignInTransport } from './signin/remote/relay/transport.ts'
import { deleteDatabase, isDamaged } from './sqlite/open.ts'
import { Keyring } from './vault/keyring.ts'
import type { VaultObjects } from './vault/objects.ts'
import { openSqliteVault } from './vault/sqlite.ts'
import { Vault } from './vault/vault.ts'
import type { DeliveryStore } from './webhooks/deliveries/delivery-store.ts'
import { openSqliteDeliveryStore } from './webhooks/deliveries/sqlite/delivery-store.ts'

// Imported on first use: their client libraries take 10 MiB, which the embedded stores do not need.
const eventstore = () => import('./log/eventstore/log.ts')
const redisStores = async () => ({
  ...(await import('./redis/connection.ts')),
  ...(await import('./read/redis/read-models.ts')),
  ...(await import('./signin/redis/transport.ts')),
  ...(await import('./ephemeral/redis/ephemeral-store.ts')),
  ...(await import('./ephemeral/redis/tickets.ts')),
  ...(await import('./runs/items/redis/live-items.ts')),
  ...(await import('./webhooks/deliveries/redis/delivery-store.ts')),
})
const s3 = async () => ({
  ...(await import('./artifacts/s3/artifacts.ts')),
  ...(await import('./artifacts/s3/settings.ts')),
  ...(await import('./vault/s3.ts')),
})

/** All stores of a process. */
export type Stores = {
  readonly log: EventLog
  readonly readModels: ReadModels
  readonly artifacts: Artifacts
  readonly ephemeral: EphemeralStore
  /** sessions of people, and links */
  readonly tickets: Tickets
  /** deliveries of webhooks */
  readonly deliveries: DeliveryStore
  /** items of runs that are at work; with embedded stores, of those in this process */
  readonly liveItems: LiveItems
  /** between the processes that show sign-ins and the processes that host them; undefined with embedded stores */
  readonly signInTransport: SignInTransport | undefined
  /** sealed states of logins */
  readonly vault: Vault
  close(): Promise<void>
}

/** `onFailure` is called for a failure of any store that recovers by itself. */
export type StoreOptions = LogOptions & {
  /** called for a configuration in which data may be lost or work is not done */
  readonly onWarning?: (message: string) => void
  /** how long to wait for an event store, in milliseconds; 10 seconds by default */
  readonly waitMs?: number
  /**
   * Passed only by the owner of DATA_DIR: a corrupt file whose data can be rebuilt or lost is deleted, and this is
   * called. Without it, such a file is an error.
   */
  readonly onBroken?: (path: string, error: unknown) => void
  /** called when a read or a write of the embedded log meets a damaged page: a server must stop */
  readonly onDamaged?: (path: string, error: unknown) => void
}

/**
 * Opens only the embedded log, artifacts and vault of DATA_DIR, to copy them.
 *
 * @returns the stores and the folder of large artifacts; no vault if it was never opened
 * @throws {StoreUnavailable} naming the file that can't be opened
 */
export function openEmbedded({ dataDir }: Config) {
  const log = named(join(dataDir, 'log.db'), (path) => openSqliteLog(path))
  const folder = join(dataDir, 'artifacts')
  // Creates its table in the log's file, in case no artifact was ever stored.
  openSqliteArtifacts({ log, folder, now: clock.now })
  const path = vaultFile(dataDir)
  const vault = existsSync(path) ? openVaultFile(path) : undefined
  const close = async () => {
    await vault?.close()
    await log.close()
  }
  return { log, folder, vault, close }
}

/** How long a probe waits for an event store, in milliseconds. */
const PROBE_MS = 2000

/** Registers an open store to be closed later. */
type Remember = <T extends { close(): Promise<void> }>(store: T) => T

/**
 * Opens the stores named in the settings, and all others in DATA_DIR, which is created if missing.
 *
 * @throws {StoreUnavailable} naming the file that can't be opened, or when the event store does not answer in time
 * @throws {ConfigError} for an address or credentials that can't be used
 */
export async function openStores(config: Config, options: StoreOptions = {}): Promise<Stores> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  if (hasEmbeddedLog(config) && !PROCESS_ROLES.every((role) => config.roles.has(role))) {
    options.onWarning?.(
      'ROLES leaves some roles to other processes, but other processes need EVENTSTORE_URL and REDIS_URL. The work of these roles is not done.',
    )
  }
  // A wrong S3_URL fails at once, not after the wait for an event store.
  if (config.s3Url !== null) (await s3()).readS3Bucket(config.s3Url, config.aws)
  // Closed in reverse order: small artifacts may be stored in the log's file.
  await using open = new AsyncDisposableStack()
  const remember: Remember = (store) => open.adopt(store, (opened) => opened.close())
  const log = remember(await openLog(config, options))
  const artifacts = remember(await openArtifacts(config, log, options))
  const reads = await openReads(config, options, remember)
  const vault = remember(await openVault(config, options))
  const opened = open.move()
  return { log, artifacts, ...reads, vault, close: () => opened.disposeAsync() }
}

async function openLog({ eventstoreUrl, dataDir }: Config, options: StoreOptions): Promise<EventLog> {
  if (eventstoreUrl !== null) return (await eventstore()).openEventstoreLog(eventstoreUrl, options)
  const path = join(dataDir, 'log.db')
  const vault = vaultFile(dataDir)
  // With an empty log, the vault's sweeps would delete the logins and people that the missing log names.
  if (!existsSync(path) && existsSync(vault))
    throw new StoreUnavailable(
      `${path} is missing beside ${vault}: restore it from your backup, or start with an empty DATA_DIR`,
    )
  const { onDamaged, ...rest } = options
  return named(path, () =>
    openSqliteLog(path, { ...rest, ...(onDamaged && { onDamaged: (error) => onDamaged(path, error) }) }),
  )
}

async function openArtifacts(
  { s3Url, aws, dataDir, resultRetentionDays }: Config,
  log: EventLog,
  { onFailure }: StoreOptions,
): Promise<Artifacts> {
  const now = clock.now
  if (s3Url !== null) {
    const { readS3Bucket, checkS3Bucket, S3Artifacts } = await s3()
    const bucket = readS3Bucket(s3Url, aws)
    // A wrong setting fails the start. An unreachable store is retried on each use.
    await checkS3Bucket(bucket)
    return new S3Artifacts({ bucket, now, onFailure, leastAgeMs: resultRetentionDays * 86_400_000 })
  }
  const folder = join(dataDir, 'artifacts')
  if (log instanceof SqliteLog)
    return named(join(dataDir, 'log.db'), () => openSqliteArtifacts({ log, folder, now }))
  return named(join(dataDir, 'artifacts.db'), (path) => openFolderArtifacts({ path, folder, now }))
}

const vaultFile = (dataDir: string): string => join(dataDir, 'vault.db')
const openVaultFile = (file: string): VaultObjects =>
  named(file, (path) => openSqliteVault({ path, now: clock.now }))

export { giveNewId as giveNewLogId } from './log/sqlite/rows.ts'

/** Opens the vault alone, for the commands that maintain it. @throws as {@link openStores} does */
export async function openVault(config: Config, { onFailure }: StoreOptions = {}): Promise<Vault> {
  const { s3Url, aws, dataDir } = config
  if (s3Url === null) return new Vault(openVaultFile(vaultFile(dataDir)), new Keyring(config))
  const { readS3Bucket, openS3Vault } = await s3()
  return new Vault(openS3Vault({ bucket: readS3Bucket(s3Url, aws), onFailure }), new Keyring(config))
}

/** A health check for each configured back end, which returns its state in a few words. @throws the failure */
export function probesOf(config: Config): ReadonlyMap<string, () => Promise<string>> {
  const { eventstoreUrl, redisUrl, s3Url, aws } = config
  const probes = new Map<string, () => Promise<string>>()
  if (eventstoreUrl !== null)
    probes.set('event store', async () => {
      const { openEventstoreLog } = await eventstore()
      const log = await openEventstoreLog(eventstoreUrl, { waitMs: PROBE_MS, onFailure: () => {} })
      const head = await log.head()
      await log.close()
      return `${log.id}, at position ${head ?? 0}`
    })
  if (redisUrl !== null)
    probes.set('redis', async () => {
      const { openRedis } = await redisStores()
      const warnings: string[] = []
      const redis = await openRedis(redisUrl, {
        onWarning: (warning) => warnings.push(warning),
        onFailure: () => {},
      })
      try {
        await redis.ask((client) => client.time())
        return ['reachable', ...warnings].join('; ')
      } finally {
        await redis.close()
      }
    })
  if (s3Url !== null)
    probes.set('object store', async () => {
      const { readS3Bucket, checkS3Bucket } = await s3()
      if (!(await checkS3Bucket(readS3Bucket(s3Url, aws))))
        throw new StoreUnavailable('The bucket cannot be reached.')
      return 'the bucket exists'
    })
  return probes
}

async function openReads({ redisUrl, dataDir, leaseS }: Config, options: StoreOptions, remember: Remember) {
  if (redisUrl === null) {
    const { onBroken, onFailure } = options
    const openReadModels = (path: string) =>
      openSqliteReadModels(path, onBroken && ((error) => onBroken(path, error)))
    const readModels = remember(disposable(join(dataDir, 'read-models.db'), openReadModels, options))
    const openEphemeral = (path: string) => openSqliteEphemeralStore(path, { onError: onFailure })
    const ephemeral = remember(disposable(join(dataDir, 'volatile.db'), openEphemeral, options))
    // In the same file: all of its data may be lost together.
    const tickets = remember(disposable(join(dataDir, 'volatile.db'), openSqliteTickets, options))
    const deliveries = remember(named(join(dataDir, 'webhooks.db'), openSqliteDeliveryStore, DELETE))
    const liveItems = new LocalLiveItems()
    return { readModels, ephemeral, tickets, deliveries, liveItems, signInTransport: undefined }
  }
  const stores = await redisStores()
  const redis = remember(await stores.openRedis(redisUrl, options))
  return {
    readModels: remember(new stores.RedisReadModels(redis)),
    ephemeral: remember(stores.openRedisEphemeralStore(redis, { onError: options.onFailure })),
    tickets: stores.openRedisTickets(redis),
    deliveries: stores.openRedisDeliveryStore(redis),
    liveItems: new stores.RedisLiveItems(redis, leaseS),
    signInTransport: stores.openRedisSignInTransport(redis),
  }
}

const RESTORE = 'Restore DATA_DIR from your backup, as docs/operations.md says'
const DELETE = 'Delete it; events since the last checkpoint of each webhook are delivered again'

/**
 * Opens a file that is not replaced if it is damaged.
 *
 * @param remedy what to do then
 * @throws {StoreUnavailable} that names the file
 */
function named<T>(path: string, open: (path: string) => T, remedy = RESTORE): T {
  try {
    return orUnavailable(`${path} cannot be opened`, () => open(path))
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || !isDamaged(error.cause)) throw error
    throw new StoreUnavailable(`${error.message}. ${remedy}`, { cause: error.cause })
  }
}

/** Opens a disposable file: read models are rebuilt from the log, times of last use and rate buckets are lost. */
function disposable<T>(path: string, open: (path: string) => T, { onBroken }: StoreOptions): T {
  try {
    return open(path)
  } catch (error) {
    if (onBroken && isDamaged(error)) {
      onBroken(path, error)
      deleteDatabase(path)
    }
  }
  return named(path, open, 'A server replaces it when it starts')
}
