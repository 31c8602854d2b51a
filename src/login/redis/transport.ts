/**
 * What processes say to each other of visits, through Redis: a few keys that expire, and messages by Pub/Sub. A process
 * hears one channel of its own, and one that all hear.
 *
 * @module
 */
import type { RedisConnection } from '../../redis/connection.ts'
import {
  type Attends,
  HELD_MS,
  type Hearing,
  type SignInWire,
  type Standing,
} from '../remote/relay/transport.ts'
import { endVisit, keepVisits, lookAtVisit, offerVisit, takeVisit } from './transport-scripts.ts'

const LINE = 'gleaner:{visits}:line'
const PREFIX = 'gleaner:{visits}:'
/** On which it is said that something moved. */
const MOVED = 'gleaner:visits'
const channelOf = (name: string): string => `gleaner:visits:${name}`

/** Opens it behind a connection, which stays its owner's to close. */
export const openRedisSignInWire = (redis: RedisConnection): SignInWire => new RedisSignInWire(redis)

class RedisSignInWire implements SignInWire {
  constructor(private readonly redis: RedisConnection) {}

  async offer(id: string, sealed: string, forMs: number, most: number): Promise<boolean> {
    const args = [LINE, PREFIX, MOVED, id, sealed, Math.max(1, Math.ceil(forMs)), most]
    return (await this.redis.ask((redis) => redis.run(offerVisit, args))) === 1
  }

  async take(post: string) {
    const taken = await this.redis.ask((redis) => redis.run(takeVisit, [LINE, PREFIX, MOVED, post, HELD_MS]))
    if (!taken) return undefined
    const [id, sealed] = taken as [string, string]
    return { id, sealed }
  }

  async keep(post: string, ids: readonly string[]): Promise<void> {
    await this.redis.ask((redis) => redis.run(keepVisits, [LINE, PREFIX, post, HELD_MS, ...ids]))
  }

  async end(id: string, sealed: string, forMs: number): Promise<void> {
    await this.redis.ask((redis) => redis.run(endVisit, [LINE, PREFIX, MOVED, id, sealed, forMs, '']))
  }

  async withdraw(id: string, sealed: string, forMs: number): Promise<string | undefined> {
    const args = [LINE, PREFIX, MOVED, id, sealed, forMs, 'waiting']
    return ((await this.redis.ask((redis) => redis.run(endVisit, args))) as string | null) ?? undefined
  }

  async standing(id: string, attends?: Attends): Promise<Standing | undefined> {
    const args = [LINE, PREFIX, MOVED, id, attends?.name ?? '', attends?.isNew ? '1' : '']
    const found = await this.redis.ask((redis) => redis.run(lookAtVisit, args))
    if (!found) return undefined
    const [place, post, end, attending] = found as [number, ...(string | null)[]]
    return {
      before: place === 0 ? null : place,
      post: post ?? null,
      end: end ?? null,
      attending: attending ?? null,
    }
  }

  send(to: string, message: Uint8Array): Promise<boolean> {
    const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
    // Pictures are large: what requests wait for goes over another connection.
    return this.redis.write(async (redis) => {
      const heard = await redis.publish(channelOf(to), bytes)
      // The node of a cluster counts those of its own alone.
      return heard > 0 || redis.isCluster
    })
  }

  listen(name: string, { message, moved }: Hearing): Promise<() => Promise<void>> {
    const own = channelOf(name)
    return this.redis.listen([own, MOVED], (channel, bytes) => {
      if (channel === own) message(bytes)
      else moved()
    })
  }
}
