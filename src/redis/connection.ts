/**
 * One connection to Redis, or to a cluster of it, for all that is kept there. It heals itself: whatever fails, calls
 * fail as an unavailable store in time, and it connects again for ever.
 *
 * @module
 */
import { Cluster, Redis } from 'ioredis'
import { delay, withTimeout } from '../async/delay.ts'
import { retryUntilAborted } from '../async/retry.ts'
import { StoreUnavailable } from '../log/event-log.ts'
import { random } from '../random.ts'
import { failureOf, type Probed, probe, type RedisSettings, settingsOf } from './probe.ts'
import type { RedisScript } from './scripts.ts'
import { StreamReader } from './stream-reader.ts'

type Argument = string | number | Buffer

/** What is asked of Redis: a few commands, and our scripts. */
export type RedisClient = Pick<
  Redis,
  'hget' | 'hgetall' | 'hdel' | 'zcount' | 'zrangebyscore' | 'time' | 'getBuffer' | 'xdel'
> & {
  readonly isCluster: boolean
  hmget(key: string, fields: readonly string[]): Promise<(string | null)[]>
  /** Runs a script: its keys and its other arguments in one array. */
  run(script: RedisScript, args: readonly Argument[]): Promise<unknown>
}

export type RedisOptions = {
  /** told of the first failure after all was well; it heals by itself */
  readonly onFailure?: ((error: Error) => void) | undefined
  /** told of a server that may lose what is kept there */
  readonly onWarning?: ((message: string) => void) | undefined
}

/** Milliseconds until a call fails: a request must have its 503 within 2 seconds. */
export const ASK_MS = 1500
export const WRITE_MS = 10_000
/** More than a call waits that reads streams. */
const READ_MS = 5000
/** A server that answers nothing for so much longer than a call may take is taken for dead: a new connection. */
const SILENCE_MS = 1500
/** How often a server that gave no answer is asked whether it does again. */
const PROBE_MS = 100
/** Between two tries to connect; few, so that a server that is back is soon found. */
const LONGEST_RETRY_MS = 1000

/**
 * Connects.
 *
 * @param url `redis://` or `rediss://`, with user, password, `/db` and the options that ioredis takes in a query.
 *   Whether the server is one of a cluster is asked of it
 * @returns also when the server can't be reached: calls fail until it can
 * @throws {ConfigError} when the server refuses the URL's user, password or database
 */
export async function openRedis(url: string, options: RedisOptions = {}): Promise<RedisConnection> {
  const connection = new RedisConnection(settingsOf(url), options)
  await connection.open()
  return connection
}

/** How calls are made. They throw {@link StoreUnavailable}, whatever happened; what was asked may have happened or not. */
export class RedisConnection {
  private readonly closing = new AbortController()
  private asking: Redis | Cluster | undefined
  private writing: Redis | Cluster | undefined
  private readonly probed = Promise.withResolvers<Probed>()
  private failing = false
  /** the server gave no answer, and is asked by `goneAway` alone */
  private isAway = false

  constructor(
    private readonly settings: RedisSettings,
    private readonly options: RedisOptions,
  ) {}

  /** Connects, or goes on trying to. @throws as {@link openRedis} does */
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
   * Asks for what a request waits for: an answer within {@link ASK_MS}. From a call that had none until the server
   * answers again, calls fail at once: what can do without it should not wait for it each time.
   */
  async ask<T>(call: (redis: RedisClient) => Promise<T>): Promise<T> {
    if (this.isAway) throw new StoreUnavailable('Redis gave no answer a moment ago')
    try {
      return await answered(this.asking, call, ASK_MS)
    } catch (error) {
      // An error that the server sent is an answer.
      const gaveNone = ((error as Error).cause as Error | undefined)?.name !== 'ReplyError'
      if (gaveNone && this.asking && !this.isAway) void this.goneAway(error as StoreUnavailable)
      throw error
    }
  }

  /** Asks for what may take longer, apart from what requests wait for: an answer within {@link WRITE_MS}. */
  write<T>(call: (redis: RedisClient) => Promise<T>): Promise<T> {
    return answered(this.writing, call, WRITE_MS)
  }

  /**
   * Reads streams as they grow, on a connection of its own that heals by itself.
   *
   * @param wakeKey a stream for this reader alone, on the node of those that it reads
   */
  streams(wakeKey: string): StreamReader {
    const reader = new StreamReader(wakeKey, () => this.ask((redis) => redis.run(wakeReader, [wakeKey])))
    void this.probed.promise.then((probed) => reader.run(this.client(probed, READ_MS), this.closing.signal))
    return reader
  }

  /** Ends it at once: calls without an answer fail. */
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
    const shared = {
      ...this.settings,
      commandTimeout: ms,
      socketTimeout: ms + SILENCE_MS,
      lazyConnect: false,
      connectTimeout: ASK_MS,
      // Once: a lost connection alone is no failure when the next one stands at once. All our calls may come twice.
      maxRetriesPerRequest: 1,
      maxLoadingRetryTime: 500,
      reconnectOnError: isDemoted,
    }
    const client = isCluster ? this.cluster(shared) : new Redis({ ...shared, retryStrategy })
    client.on('error', (error: Error) => this.failed(error))
    client.on('ready', () => {
      this.failing = false
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
      ...(redisOptions.tls ? { dnsLookup: (name, found) => found(null, name) } : {}),
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

/** Key: a stream of one reader. The trim changes nothing; it lets an entry in though memory is full. */
const wakeReader: RedisScript = {
  name: 'wakeReader',
  keys: 1,
  lua: `
redis.call('XTRIM', KEYS[1], 'MAXLEN', 0)
redis.call('XADD', KEYS[1], '*', 'm', '')
return redis.call('PEXPIRE', KEYS[1], 60000)`,
}

type Run = (args: readonly Argument[]) => Promise<unknown>

/** The client sends a script's hash, and its text where the server does not know that yet. */
function run(client: Redis | Cluster, { name, keys, lua }: RedisScript, args: readonly Argument[]) {
  const commands = client as unknown as { [name: string]: Run | undefined }
  if (!commands[name]) client.defineCommand(name, { lua, numberOfKeys: keys })
  return (commands[name] as Run)(args)
}

/** From 50 milliseconds on, doubled, with some chance in it so that processes don't all come at once. */
const retryStrategy = (times: number): number =>
  Math.min(LONGEST_RETRY_MS, 25 * 2 ** Math.min(times, 10)) * (0.8 + random() * 0.2)

/** The address may lead to another server by now: that one is the master, or knows its master. */
const isDemoted = (error: Error): boolean => /READONLY|MASTERDOWN/.test(error.message)

/** The client's own time limits don't hold while a cluster looks for its nodes, so each call has one here. */
async function answered<T>(
  client: Redis | Cluster | undefined,
  call: (redis: RedisClient) => Promise<T>,
  ms: number,
): Promise<T> {
  if (!client) throw new StoreUnavailable('Redis has not been reached yet')
  try {
    const asked = call(client as unknown as RedisClient)
    return await withTimeout(ms, asked, () => new Error(`no answer within ${ms} ms`))
  } catch (error) {
    throw failureOf(error as Error)
  }
}
