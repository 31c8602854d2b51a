/**
 * One connection to Redis, or to a Redis cluster, that all stores share. On any failure, calls fail with
 * {@link StoreUnavailable} within their timeout, and the connection is retried indefinitely.
 *
 * @module
 */
import { Cluster, Redis } from 'ioredis'
import { delay, withTimeout } from '../async/delay.ts'
import { backoff, retryUntilAborted } from '../async/retry.ts'
import { StoreUnavailable } from '../log/event-log.ts'
import { failureOf, type Probed, probe, type RedisSettings, settingsOf } from './probe.ts'
import type { RedisScript } from './scripts.ts'
import { StreamReader } from './stream-reader.ts'

type Argument = string | number | Buffer

/** The Redis commands in use, and scripts. */
export type RedisClient = Pick<
  Redis,
  | 'hget'
  | 'hgetall'
  | 'hdel'
  | 'lrange'
  | 'zmscore'
  | 'zrangebyscore'
  | 'zrem'
  | 'time'
  | 'getBuffer'
  | 'xdel'
  | 'del'
> & {
  hmget(key: string, fields: readonly string[]): Promise<(string | null)[]>
  /** Runs a script. The array contains its keys, then its other arguments. */
  run(script: RedisScript, args: readonly Argument[]): Promise<unknown>
}

export type RedisOptions = {
  /** called with the first failure of an outage; the connection recovers by itself */
  readonly onFailure?: ((error: Error) => void) | undefined
  /** called if the server's configuration may lose data */
  readonly onWarning?: ((message: string) => void) | undefined
}

/** The timeouts of calls in milliseconds. A request must get its 503 within 2 seconds. */
const ASK_MS = 1500
const WRITE_MS = 10_000
/** For a read of streams, whose entries may be large. */
const READ_MS = 5000
/** A connection that is silent for this much longer than a call's timeout is considered dead and replaced. */
const SILENCE_MS = 1500
/** The interval of probes to a server that did not respond. */
const PROBE_MS = 100
/** The longest pause between attempts to connect. It is short, so that a server that is back is found soon. */
const LONGEST_RETRY_MS = 1000

/**
 * Connects.
 *
 * @param url `redis://` or `rediss://`, with user, password, `/db` and the options that ioredis takes in a query.
 *   Clusters are detected
 * @returns even if the server can't be reached: calls fail until it can
 * @throws {ConfigError} when the server refuses the URL's user, password or database
 */
export async function openRedis(url: string, options: RedisOptions = {}): Promise<RedisConnection> {
  const connection = new RedisConnection(settingsOf(url), options)
  await connection.open()
  return connection
}

/** Makes calls. Any failure throws {@link StoreUnavailable}; the call may or may not have taken effect. */
export class RedisConnection {
  private readonly closing = new AbortController()
  private asking: Redis | Cluster | undefined
  private writing: Redis | Cluster | undefined
  private readonly probed = Promise.withResolvers<Probed>()
  private failing = false
  /** the server did not respond, and only `goneAway` calls it */
  private isAway = false

  constructor(
    private readonly settings: RedisSettings,
    private readonly options: RedisOptions,
  ) {}

  /** Connects, and keeps trying in the background if that fails. @throws like {@link openRedis} */
  async open(): Promise<void> {
    try {
      this.connect(await probe(this.settings, ASK_MS))
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      this.failed(error)
      void this.openLater()
    }
  }

  /**
   * Makes a call that a request waits for, with the timeout {@link ASK_MS}. After a call without a response, calls fail
   * at once until the server responds again: callers that can do without Redis should not wait for it each time.
   */
  async ask<T>(call: (redis: RedisClient) => Promise<T>): Promise<T> {
    if (this.isAway) throw new StoreUnavailable('Redis is not responding')
    try {
      return await answered(this.asking, call, ASK_MS)
    } catch (error) {
      // An error that the server sent is a response.
      const gaveNone = ((error as Error).cause as Error | undefined)?.name !== 'ReplyError'
      if (gaveNone && this.asking && !this.isAway) void this.goneAway(error as StoreUnavailable)
      throw error
    }
  }

  /** Makes a call that may take longer, on a separate connection, with the timeout {@link WRITE_MS}. */
  write<T>(call: (redis: RedisClient) => Promise<T>): Promise<T> {
    return answered(this.writing, call, WRITE_MS)
  }

  /** Follows streams on a separate connection that recovers by itself. In a cluster they must be on one node. */
  streams(): StreamReader {
    const reader = new StreamReader()
    void this.probed.promise.then((probed) => reader.run(this.client(probed, READ_MS), this.closing.signal))
    return reader
  }

  /** Disconnects at once. Pending calls fail. */
  async close(): Promise<void> {
    this.closing.abort()
    this.asking?.disconnect()
    this.writing?.disconnect()
  }

  private async openLater(): Promise<void> {
    const { signal } = this.closing
    const onRetry = (error: unknown) => this.failed(error as Error)
    const again = {
      when: () => true,
      firstMs: LONGEST_RETRY_MS,
      longestMs: LONGEST_RETRY_MS,
      signal,
      onRetry,
    }
    await delay(LONGEST_RETRY_MS, signal)
    const probed = await retryUntilAborted(() => probe(this.settings, ASK_MS), again)
    if (probed && !signal.aborted) this.connect(probed)
  }

  private connect(probed: Probed): void {
    for (const warning of probed.warnings) this.options.onWarning?.(warning)
    this.asking = this.client(probed, ASK_MS)
    this.writing = this.client(probed, WRITE_MS)
    this.probed.resolve(probed)
  }

  private client({ isCluster }: Probed, ms: number): Redis | Cluster {
    // The server refuses each call under way, and the connection must be left only once.
    let isLeaving = false
    const shared = {
      ...this.settings,
      commandTimeout: ms,
      socketTimeout: ms + SILENCE_MS,
      lazyConnect: false,
      connectTimeout: ASK_MS,
      // One retry: a lost connection is no failure if it is replaced at once. Our calls may run twice; those that add to
      // the use of exits then count twice, which does no harm.
      maxRetriesPerRequest: 1,
      maxLoadingRetryTime: 500,
      reconnectOnError: (error: Error) => {
        if (isLeaving || !isDemoted(error)) return false
        isLeaving = !isCluster
        return true
      },
    }
    const client = isCluster ? this.cluster(shared) : new Redis({ ...shared, retryStrategy })
    client.on('error', (error: Error) => this.failed(error))
    client.on('ready', () => {
      this.failing = false
      isLeaving = false
    })
    return Object.assign(client, {
      run: (script: RedisScript, args: readonly Argument[]) => run(client, script, args),
    })
  }

  private cluster({ host, port, db: _, ...redisOptions }: RedisSettings): Cluster {
    const cluster = new Cluster([{ host: host ?? 'localhost', port: port ?? 6379 }], {
      redisOptions,
      clusterRetryStrategy: retryStrategy,
      slotsRefreshInterval: 5000,
      // A certificate names hosts, not addresses.
      ...(redisOptions.tls ? { dnsLookup: (name, done) => done(null, name) } : {}),
    })
    cluster.on('node error', (error: Error) => this.failed(error))
    return cluster
  }

  private async goneAway(error: StoreUnavailable): Promise<void> {
    this.isAway = true
    this.failed(error)
    const { signal } = this.closing
    const again = { when: () => true, firstMs: PROBE_MS, longestMs: PROBE_MS, signal }
    await retryUntilAborted(() => answered(this.asking, (redis) => redis.time(), ASK_MS), again)
    this.isAway = false
    this.failing = false
  }

  private failed(error: Error): void {
    if (this.failing || this.closing.signal.aborted) return
    this.failing = true
    this.options.onFailure?.(error instanceof StoreUnavailable ? error : failureOf(error))
  }
}

type Run = (args: readonly Argument[]) => Promise<unknown>

/** The client sends a script's hash, and its text if the server does not know the hash yet. */
function run(client: Redis | Cluster, { name, keys, lua }: RedisScript, args: readonly Argument[]) {
  const commands = client as unknown as { [name: string]: Run | undefined }
  if (!commands[name]) client.defineCommand(name, { lua, numberOfKeys: keys })
  return (commands[name] as Run)(args)
}

/** The jitter keeps processes from connecting all at once. */
const retryStrategy = (times: number): number =>
  backoff(times, { firstMs: 50, longestMs: LONGEST_RETRY_MS, jitter: 0.2 })

/** After a failover the address may lead to another server, which is the master or knows the master. */
const isDemoted = (error: Error): boolean => /READONLY|MASTERDOWN/.test(error.message)

/** Adds a timeout to each call, since the client's own timeouts don't apply while a cluster discovers its nodes. */
async function answered<T>(
  client: Redis | Cluster | undefined,
  call: (redis: RedisClient) => Promise<T>,
  ms: number,
): Promise<T> {
  if (!client) throw new StoreUnavailable('Redis has not been reached yet')
  try {
    const answer = call(client as unknown as RedisClient)
    return await withTimeout(ms, answer, () => new Error(`no answer within ${ms} ms`))
  } catch (error) {
    throw failureOf(error as Error)
  }
}
