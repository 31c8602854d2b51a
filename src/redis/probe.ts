/**
 * The first look at a Redis server: may we come in, is it one of a cluster, and may it forget what it is given.
 *
 * @module
 */
import { Redis, type RedisOptions } from 'ioredis'
import { ConfigError } from '../config.ts'
import { StoreUnavailable } from '../log/event-log.ts'

/** A URL as the client takes it. Answers have the form that we know, and a cluster's nodes are named by it alone. */
export type RedisSettings = Omit<RedisOptions, 'replyMapping' | 'sentinels' | 'himportFieldsets'>

/** What was found. */
export type Probed = { readonly isCluster: boolean; readonly warnings: readonly string[] }

/** Reads a URL: its settings count unless ours replace them. */
export function settingsOf(url: string): RedisSettings {
  const { replyMapping, sentinels, himportFieldsets, ...settings } = new Redis(url, { lazyConnect: true })
    .options
  return settings
}

/** The server refuses for good: the settings must change. */
const REFUSED = /^(WRONGPASS|NOAUTH|NOPERM|ERR (invalid|AUTH|SELECT|DB index|Client sent AUTH))/

/**
 * Connects once and asks.
 *
 * @param ms how long it may take to connect, and to answer, in milliseconds
 * @throws {ConfigError} when the server refuses the settings
 * @throws {StoreUnavailable} when there is no answer
 */
export async function probe(settings: RedisSettings, ms: number): Promise<Probed> {
  const redis = new Redis({
    ...settings,
    lazyConnect: true,
    retryStrategy: null,
    connectTimeout: ms,
    commandTimeout: ms,
    // A server that still loads its data can be asked already.
    enableReadyCheck: false,
  })
  // What the connection failed of is told here alone: its promise says that it is closed.
  let reason: Error | undefined
  redis.on('error', (error: Error) => {
    reason ??= error
  })
  try {
    await redis.connect()
    const info = await redis.info()
    // A database that is not there is told, and the connection goes on in another one.
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

/** What the client threw, as everybody else knows it. */
export const failureOf = (cause: Error): StoreUnavailable =>
  new StoreUnavailable(`Redis failed: ${cause.message}`, { cause })
