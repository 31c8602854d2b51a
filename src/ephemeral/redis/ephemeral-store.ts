/**
 * The ephemeral store in Redis, for all processes together: rate limits, slots of running runs, times of last use. Keys
 * of one account carry it as hash tag; all but the times expire by themselves.
 *
 * @module
 */
import { clearTimeout, setTimeout } from 'node:timers'
import type { AccountId, KeyId, RunId } from '../../domain/ids.ts'
import type { RedisConnection } from '../../redis/connection.ts'
import type {
  EphemeralStore,
  RateClass,
  RateVerdict,
  RunSlot,
  RunSlots,
  SlotAnswer,
} from '../ephemeral-store.ts'
import { verdictOf } from '../token-buckets.ts'
import { acquireSlot, noteTimes, releaseSlot, renewSlots, takeToken } from './scripts.ts'

const USED = 'gleaner:used'
/** Times that are written with one script. */
const NOTED_AT_ONCE = 1000

export type RedisEphemeralStoreOptions = {
  /** how long a time of last use stays in memory alone, in milliseconds; 3 seconds by default */
  readonly flushMs?: number
  /** told when the times could not be written; they are tried again. By default a warning of the process */
  readonly onError?: (error: unknown) => void
  /**
   * Whose time counts. `server` by default: the clocks of several machines differ, and each change from one to the other
   * would fill buckets and end slots. `caller` for tests.
   */
  readonly clock?: 'server' | 'caller'
}

/** Opens the ephemeral store behind a connection, which stays its owner's to close. */
export const openRedisEphemeralStore = (
  redis: RedisConnection,
  options: RedisEphemeralStoreOptions = {},
): EphemeralStore => new RedisEphemeralStore(redis, options)

/** What time a script is told; "": the server's own. */
type Clock = (now: number) => string

class RedisEphemeralStore implements EphemeralStore {
  /** not in Redis yet */
  private unsaved = new Map<KeyId, number>()
  private timer: ReturnType<typeof setTimeout> | undefined

  private readonly clock: Clock
  readonly runSlots: RunSlots

  constructor(
    private readonly redis: RedisConnection,
    private readonly options: RedisEphemeralStoreOptions,
  ) {
    this.clock = (now) => (options.clock === 'caller' ? String(Math.floor(now)) : '')
    this.runSlots = new RedisRunSlots(redis, this.clock)
  }

  async take(
    account: AccountId | 'operator',
    kind: RateClass,
    perMinute: number,
    now: number,
  ): Promise<RateVerdict> {
    const args = [`gleaner:{${account}}:rate:${kind}`, perMinute, this.clock(now)]
    const answer = await this.redis.ask((redis) => redis.run(takeToken, args))
    const [allowed, spent] = answer as [number, number]
    return verdictOf(allowed === 1, spent, perMinute)
  }

  used(key: KeyId, now: number): void {
    this.unsaved.set(key, Math.max(this.unsaved.get(key) ?? 0, Math.floor(now)))
    this.arm()
  }

  async lastUsed(keys: readonly KeyId[]): Promise<(number | undefined)[]> {
    if (keys.length === 0) return []
    const noted = await this.redis.ask((redis) => redis.hmget(USED, keys))
    return keys.map((key, i) => {
      const latest = Math.max(Number(noted[i] ?? 0), this.unsaved.get(key) ?? 0)
      return latest > 0 ? latest : undefined
    })
  }

  /** Writes the times that are in memory alone; those that can't be written are lost, and told of. */
  async close(): Promise<void> {
    clearTimeout(this.timer)
    await this.flush()
  }

  private arm(): void {
    if (this.timer !== undefined) return
    this.timer = setTimeout(async () => {
      await this.flush()
      this.timer = undefined
      if (this.unsaved.size > 0) this.arm()
    }, this.options.flushMs ?? 3000)
    // A process that has nothing else to do may end: it closes what it opened before.
    this.timer.unref()
  }

  private async flush(): Promise<void> {
    const times = [...this.unsaved]
    for (let i = 0; i < times.length; i += NOTED_AT_ONCE) {
      const part = times.slice(i, i + NOTED_AT_ONCE)
      try {
        await this.redis.write((redis) => redis.run(noteTimes, [USED, ...part.flat()]))
      } catch (error) {
        this.report(error)
        return
      }
      for (const [key, at] of part) if (this.unsaved.get(key) === at) this.unsaved.delete(key)
    }
  }

  private report(error: unknown): void {
    if (this.options.onError) this.options.onError(error)
    else process.emitWarning(`times of last use could not be written: ${error}`)
  }
}

class RedisRunSlots implements RunSlots {
  constructor(
    private readonly redis: RedisConnection,
    private readonly clock: Clock,
  ) {}

  async acquire(
    { run, account, holder }: RunSlot,
    limit: number,
    forMs: number,
    now: number,
  ): Promise<SlotAnswer> {
    const keys = [...slotKeys(account), endedKey(account, run)]
    const args = [...keys, run, holder, limit, forMs, this.clock(now)]
    return (await this.redis.ask((redis) => redis.run(acquireSlot, args))) as SlotAnswer
  }

  async renew(slots: readonly RunSlot[], forMs: number, now: number): Promise<void> {
    const accounts = Map.groupBy(slots, ({ account }) => account)
    await Promise.all(
      [...accounts].map(([account, its]) => {
        const runs = its.flatMap(({ run, holder }) => [run, holder])
        const args = [...slotKeys(account), forMs, this.clock(now), ...runs]
        return this.redis.ask((redis) => redis.run(renewSlots, args))
      }),
    )
  }

  async release({ run, account, holder }: RunSlot, endedForMs: number): Promise<void> {
    const args = [...slotKeys(account), endedKey(account, run), run, holder, endedForMs]
    await this.redis.ask((redis) => redis.run(releaseSlot, args))
  }
}

/** When an account's slots end, and who holds them. */
const slotKeys = (account: AccountId): [string, string] => [
  `gleaner:{${account}}:places`,
  `gleaner:{${account}}:holders`,
]
const endedKey = (account: AccountId, run: RunId): string => `gleaner:{${account}}:ended:${run}`
