/**
 * Sign-ins between processes through Redis: for each session a hash, streams of calls and events, and a key for the
 * newest picture. All of them expire.
 *
 * @module
 */
import type { RedisConnection } from '../../redis/connection.ts'
import type { StreamReader } from '../../redis/stream-reader.ts'
import { KEPT_MS } from '../remote/gateway.ts'
import {
  RENEWED_MS,
  type SessionStatus,
  type SignInTransport,
  type Undelivered,
} from '../remote/relay/transport.ts'
import { MOST_WAITING } from '../remote/session.ts'
import {
  addPending,
  callSession,
  claimPending,
  endSession,
  lookAtSession,
  renewSession,
  tellOfSession,
} from './transport-scripts.ts'

const PREFIX = 'gleaner:{sign-ins}:'
const PENDING = `${PREFIX}pending`
/** How many events a session's stream keeps. */
const MOST_EVENTS = 100
/** How many calls may wait for a host. */
const MOST_CALLS = 32
/** How long keys outlive their last write, in milliseconds: events as long as a link, calls and pictures a minute. */
const TOLD_MS = 15 * 60_000
const MOMENT_MS = 60_000

/** Opens the transport on a connection, which the caller must close. */
export const openRedisSignInTransport = (redis: RedisConnection): SignInTransport => new InRedis(redis)

class InRedis implements SignInTransport {
  private reader: StreamReader | undefined

  constructor(private readonly redis: RedisConnection) {}

  async addPending(id: string, sealed: Buffer, forMs: number): Promise<boolean> {
    const args = [PENDING, PREFIX, id, sealed.toString('base64'), Math.ceil(forMs), MOST_WAITING]
    return (await this.redis.ask((redis) => redis.run(addPending, args))) === 1
  }

  async claim(): Promise<{ readonly id: string; readonly sealed: Buffer } | undefined> {
    const args = [PENDING, PREFIX, RENEWED_MS]
    const claimed = await this.redis.ask((redis) => redis.run(claimPending, args))
    if (!claimed) return undefined
    const [id, sealed] = claimed as [string, string]
    return { id, sealed: Buffer.from(sealed, 'base64') }
  }

  async renew(id: string): Promise<void> {
    await this.redis.ask((redis) => redis.run(renewSession, [PREFIX + id, RENEWED_MS]))
  }

  async end(id: string, sealed: Buffer, only: 'pending' | '' = ''): Promise<Buffer | undefined> {
    const args = [PENDING, PREFIX, id, sealed.toString('base64'), KEPT_MS, only]
    return bytesOf(await this.redis.ask((redis) => redis.run(endSession, args)))
  }

  async has(id: string): Promise<boolean> {
    const fields = await this.redis.ask((redis) => redis.hmget(PREFIX + id, ['pending', 'host', 'end']))
    return fields.some((field) => field !== null)
  }

  async look(id: string, viewer: string, isNew: boolean): Promise<SessionStatus | undefined> {
    const args = [PENDING, PREFIX, id, viewer, isNew ? '1' : '']
    const status = await this.redis.ask((redis) => redis.run(lookAtSession, args))
    if (!status) return undefined
    const [position, pending, end, current] = status as [number, string | null, string | null, string]
    return { position, pending: bytesOf(pending), end: bytesOf(end), viewer: current }
  }

  async call(id: string, message: Buffer): Promise<Undelivered | undefined> {
    const args = [PREFIX + id, callsOf(id), message, MOST_CALLS, MOMENT_MS]
    const why = await this.redis.ask((redis) => redis.run(callSession, args))
    return (why as Undelivered | null) ?? undefined
  }

  async tell(id: string, message: Buffer, picture?: Buffer): Promise<void> {
    const args = [eventsOf(id), pictureOf(id), message, MOST_EVENTS, TOLD_MS, picture ?? '', MOMENT_MS]
    // Pictures and events are large or many, so they do not share the connection of calls that requests wait for.
    await this.redis.write((redis) => redis.run(tellOfSession, args))
  }

  async picture(id: string): Promise<Buffer | undefined> {
    return (await this.redis.write((redis) => redis.getBuffer(pictureOf(id)))) ?? undefined
  }

  calls(id: string, hear: (message: Buffer) => void): () => void {
    // Entries are deleted once read.
    return this.streams.read(callsOf(id), (message, entry) => {
      // An entry that can't be deleted expires, and its number shows when it is read twice.
      this.redis.write((redis) => redis.xdel(callsOf(id), entry)).catch(() => {})
      hear(message)
    })
  }

  events(id: string, hear: (message: Buffer) => void): () => void {
    return this.streams.read(eventsOf(id), hear)
  }

  private get streams(): StreamReader {
    this.reader ??= this.redis.streams()
    return this.reader
  }
}

const callsOf = (id: string): string => `${PREFIX}${id}:calls`
const eventsOf = (id: string): string => `${PREFIX}${id}:events`
const pictureOf = (id: string): string => `${PREFIX}${id}:picture`
const bytesOf = (text: unknown): Buffer | undefined =>
  typeof text === 'string' ? Buffer.from(text, 'base64') : undefined
