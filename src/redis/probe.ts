/**
 * The first check of a Redis server: whether it accepts the credentials, is part of a cluster, and may evict data.
 *
 * @module
 */
import { Redis, type RedisOptions } from 'ioredis'
import { ConfigError } from '../config.ts'
import { StoreUnavailable } from '../log/event-log.ts'

/** The client's settings from a URL, without those that change the form of replies or name other servers. */
export type RedisSettings = Omit<RedisOptions, 'replyMapping' | 'sentinels' | 'himportFieldsets'>

/** The result of a probe. */
export type Probed = { readonly isCluster: boolean; readonly warnings: readonly string[] }

/** Parses a URL into settings, which our own settings override. */
export function settingsOf(url: string): RedisSettings {
  const { replyMapping, sentinels, himportFieldsets, ...settings } = new Redis(url, { lazyConnect: true })
    .options
  return settings
}

/** Permanent refusals: the settings must change. */
const REFUSED = /^(WRONGPASS|NOAUTH|NOPERM|ERR (invalid|AUTH|SELECT|DB index|Client sent AUTH))/

/**
 * Connects once and queries the server.
 *
 * @param ms timeout of connecting and of each command, in milliseconds
 * @throws {ConfigError} when the server refuses the settings
 * @throws {StoreUnavailable} when there is no response
 */
export async function probe(settings: RedisSettings, ms: number): Promise<Probed> {
  const redis = new Redis({
    ...settings,
    lazyConnect: true,
    retryStrategy: null,
    connectTimeout: ms,
    commandTimeout: ms,
    // A server that is still loading its data can be queried.
    enableReadyCheck: false,
  })
  // Only this event has the cause of a failure: the promise just reports that the connection is closed.
  let reason: Error | undefined
  redis.on('error', (error: Error) => {
    reason ??= error
  })
  try {
    await redis.connect()
    const info = await redis.info()
    // For a missing database the client only emits an error, and continues in another database.
    if (reason) throw reason
    return read(info)
  } catch (error) {
    const { message } = reason ?? (error as Error)
    if (REFUSED.test(message)) throw new ConfigError(`REDIS_URL: the server refuses it: ${message}`)
    throw failureOf(reason ?? (error as Error))
  } finally {
    redis.disconnect()
  }
}

function read(info: string): Probed {
  const value = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1]
  const policy = value('maxmemory_policy') ?? ''
  const warnings = []
  if (policy.startsWith('allkeys-') && value('maxmemory') !== '0') {
    warnings.push(
      `Redis may drop rows of read models when its memory is full: set maxmemory-policy to noeviction, not ${policy}`,
    )
  }
  return { isCluster: value('cluster_enabled') === '1', warnings }
}

/** Converts an error of the client. */
export const failureOf = (cause: Error): StoreUnavailable =>
  new StoreUnavailable(`Redis failed: ${cause.message}`, { cause })
