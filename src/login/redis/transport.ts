/**
 * Sign-ins between processes, through Redis: a hash for each session, streams for what is said, and a key for the newest
 * picture. All of them expire.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import type { RedisConnection } from '../../redis/connection.ts'
import type { StreamReader } from '../../redis/stream-reader.ts'
import {
  type Look,
  RENEWED_MS,
  type SignInTransport,
  type TransportReader,
  type Undelivered,
  type Viewing,
} from '../remote/relay/transport.ts'
import {
  addPending,
  appendTo,
  callSession,
  claimPending,
  endSession,
  lookAtSession,
  renewSessions,
  replacePicture,
} from './transport-scripts.ts'

const PREFIX = 'gleaner:{sign-ins}:'
const PENDING = `${PREFIX}pending`
/** Streams keep so many entries. */
const MOST_EVENTS = 100
const MOST_REPLIES = 1000
/** So many calls wait for a host that does not take them. */
const MOST_CALLS = 32
/** How long a stream outlives its last entry, in milliseconds: what is told as long as a link, the rest for a moment. */
const TOLD_MS = 15 * 60_000
const MOMENT_MS = 60_000

/** Opens it behind a connection, which stays its owner's to close. */
export const openRedisSignInTransport = (redis: RedisConnection): SignInTransport => new InRedis(redis)

class InRedis implements SignInTransport {
  constructor(private readonly redis: RedisConnection) {}

  async offer(id: string, sealed: string, forMs: number, most: number): Promise<boolean> {
    const args = [PENDING, PREFIX, id, sealed, Math.max(1, Math.ceil(forMs)), most]
    return (await this.redis.ask((redis) => redis.run(addPending, args))) === 1
  }

  async claim(host: string) {
    const claimed = await this.redis.ask((redis) =>
      redis.run(claimPending, [PENDING, PREFIX, host, RENEWED_MS]),
    )
    if (!claimed) return undefined
    const [id, sealed] = claimed as [string, string]
    return { id, sealed }
  }

  async renew(host: string, ids: readonly string[]): Promise<readonly string[]> {
    const args = [PENDING, PREFIX, host, RENEWED_MS, ...ids]
    return (await this.redis.ask((redis) => redis.run(renewSessions, args))) as string[]
  }

  async end(id: string, sealed: string, forMs: number): Promise<void> {
    await this.redis.ask((redis) => redis.run(endSession, [PENDING, PREFIX, id, sealed, forMs, '']))
  }

  async withdraw(id: string, sealed: string, forMs: number): Promise<string | undefined> {
    const args = [PENDING, PREFIX, id, sealed, forMs, 'pending']
    return ((await this.redis.ask((redis) => redis.run(endSession, args))) as string | null) ?? undefined
  }

  async look(id: string, viewing?: Viewing): Promise<Look | undefined> {
    const args = [PENDING, PREFIX, id, viewing?.viewer ?? '', viewing?.isNew ? '1' : '']
    const found = await this.redis.ask((redis) => redis.run(lookAtSession, args))
    if (!found) return undefined
    const [place, , end, viewer] = found as [number, ...(string | null)[]]
    return { before: place === 0 ? null : place, end: end ?? null, viewer: viewer ?? null }
  }

  async call(id: string, message: Buffer): Promise<Undelivered | undefined> {
    const args = [PREFIX + id, callsOf(id), message, MOST_CALLS, MOMENT_MS]
    return (
      ((await this.redis.ask((redis) => redis.run(callSession, args))) as Undelivered | null) ?? undefined
    )
  }

  async reply(gateway: string, message: Buffer): Promise<void> {
    await this.append(repliesTo(gateway), message, MOST_REPLIES, MOMENT_MS)
  }

  async tell(id: string, message: Buffer): Promise<void> {
    await this.append(eventsOf(id), message, MOST_EVENTS, TOLD_MS)
  }

  async show(id: string, picture: Buffer): Promise<void> {
    await this.redis.write((redis) => redis.run(replacePicture, [pictureOf(id), picture, MOMENT_MS]))
  }

  async picture(id: string): Promise<Buffer | undefined> {
    return (await this.redis.write((redis) => redis.getBuffer(pictureOf(id)))) ?? undefined
  }

  reader(): TransportReader {
    const streams = this.redis.streams(`${PREFIX}wake:${randomBytes(8).toString('hex')}`)
    return {
      calls: (id, hear) => this.consume(streams, callsOf(id), hear),
      replies: (gateway, hear) => this.consume(streams, repliesTo(gateway), hear),
      events: (id, hear) => streams.read(eventsOf(id), hear),
      news: (hear) => streams.read(`${PREFIX}news`, hear),
      close: () => streams.close(),
    }
  }

  /** Reads what is for one reader alone: nothing stays there. */
  private consume(streams: StreamReader, key: string, hear: (message: Buffer) => void): () => void {
    return streams.read(key, (message, id) => {
      // What can't be deleted now expires, and the number in it tells one that is read again.
      this.redis.write((redis) => redis.xdel(key, id)).catch(() => {})
      hear(message)
    })
  }

  /** Pictures and events are large or many: what requests wait for goes over another connection. */
  private async append(stream: string, message: Buffer, most: number, forMs: number): Promise<void> {
    await this.redis.write((redis) => redis.run(appendTo, [stream, message, most, forMs]))
  }
}

const callsOf = (id: string): string => `${PREFIX}${id}:calls`
const eventsOf = (id: string): string => `${PREFIX}${id}:events`
const pictureOf = (id: string): string => `${PREFIX}${id}:picture`
const repliesTo = (gateway: string): string => `${PREFIX}to:${gateway}`
