/**
 * Live items in Redis, for readers in other processes than the run's worker.
 *
 * @module
 */
import { unlessAway } from '../../../log/away.ts'
import type { RedisConnection } from '../../../redis/connection.ts'
import type { Collecting, LiveItems, RunAttempt, SharedItems } from '../live-items.ts'
import type { RunItems } from '../page.ts'
import { Handover, type Writes } from './handover.ts'
import { fieldOf, type Index } from './script.ts'

const keyOf = ({ accountId, runId, attempt }: RunAttempt): string =>
  `gleaner:{${accountId}}:items:${runId}:${attempt}`

/** How much longer than a lease the items of a lost worker are kept, in milliseconds. */
const BEYOND_LEASE_MS = 10_000

export class RedisLiveItems implements LiveItems {
  private readonly writes: Writes = { underWay: 0 }

  /** @param redis a connection, which the caller must close */
  constructor(
    private readonly redis: RedisConnection,
    private readonly leaseS: number,
  ) {}

  share(of: RunAttempt, collecting: Collecting): SharedItems {
    const { redis, writes } = this
    const expiryMs = this.leaseS * 1000 + BEYOND_LEASE_MS
    return new Handover({ redis, key: keyOf(of), expiryMs, writes }, collecting)
  }

  async find(of: RunAttempt): Promise<RunItems | undefined> {
    const key = keyOf(of)
    const { redis } = this
    const head = await unlessAway(redis.ask((client) => client.hmget(key, ['total', 'index'])))
    const [total = null, index = null] = head ?? []
    if (total === null || index === null) return undefined
    const { id, parts } = JSON.parse(index) as Index
    return {
      parts,
      async read(from, to) {
        const fields = Array.from({ length: to - from }, (_, i) => fieldOf(id, from + i))
        // Megabytes may take longer than a request waits for Redis, and no other request should wait behind them.
        const texts = (await unlessAway(redis.write((client) => client.hmget(key, fields)))) ?? []
        // The run has started over or ended meanwhile: a reader has the items until there.
        const missing = texts.indexOf(null)
        return Buffer.from(texts.slice(0, missing < 0 ? undefined : missing).join())
      },
      total: Number(total),
      isFinal: false,
    }
  }
}
