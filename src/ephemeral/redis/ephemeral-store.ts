/**
 * What may be lost, in Redis, for all processes together: rate buckets, places of running runs, times of last use. Keys
 * of one account carry it as hash tag; all but the times expire by themselves.
 *
 * @module
 */
import { clearTimeout, setTimeout } from 'node:timers'
import type { AccountId, KeyId, RunId } from '../../domain/ids.ts'
import type { RedisConnection } from '../../redis/connection.ts'
import type { HeldPlace, Place, RateClass, RateVerdict, Volatile } from '../ephemeral-store.ts'
import { verdictOf } from '../token-buckets.ts'
import { keepPlaces, noteTimes, occupyPlace, takeToken, vacatePlace } from './scripts.ts'

const USED = 'gleaner:used'
/** Times that are written with one script. */
const NOTED_AT_ONCE = 1000

export type RedisVolatileOptions = {
  /** how long a time of last use stays in memory alone, in milliseconds; 3 seconds by default */
  readonly flushMs?: number
  /** told when the times could not be written; they are tried again. By default a warning of the process */
  readonly onError?: (error: unknown) => void
  /**
   * Whose time counts. `server` by default: the clocks of several machines differ, and each change from one to the other
   * would fill buckets and end places. `caller` for tests.
   */
  readonly clock?: 'server' | 'caller'
}

/** Opens what may be lost behind a connection, which stays its owner's to close. */
export const openRedisVolatile = (redis: RedisConnection, options: RedisVolatileOptions = {}): Volatile =>
  new RedisVolatile(redis, options)

class RedisVolatile implements Volatile {
  /** not in Redis yet */
  private fresh = new Map<KeyId, number>()
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly redis: RedisConnection,
    private readonly options: RedisVolatileOptions,
  ) {}

  async take(
    account: AccountId | 'operator',
    kind: RateClass,
    perMinute: number,
    now: number,
  ): Promise<RateVerdict> {
    const args = [`gleaner:{${account}}:rate:${kind}`, perMinute, this.time(now)]
    const answer = await this.redis.ask((redis) => redis.run(takeToken, args))
    const [allowed, spent] = answer as [number, number]
    return verdictOf(allowed === 1, spent, perMinute)
  }

  async occupy(
    { run, account, holder }: HeldPlace,
    limit: number,
    forMs: number,
    now: number,
  ): Promise<Place> {
    const args = [...placesOf(account), endedOf(account, run), run, holder, limit, forMs, this.time(now)]
    return (await this.redis.ask((redis) => redis.run(occupyPlace, args))) as Place
  }

  async keep(places: readonly HeldPlace[], forMs: number, now: number): Promise<void> {
    const accounts = Map.groupBy(places, ({ account }) => account)
    await Promise.all(
      [...accounts].map(([account, held]) => {
        const runs = held.flatMap(({ run, holder }) => [run, holder])
        const args = [...placesOf(account), forMs, this.time(now), ...runs]
        return this.redis.ask((redis) => redis.run(keepPlaces, args))
      }),
    )
  }

  async vacate({ run, account, holder }: HeldPlace, endedForMs: number): Promise<void> {
    const args = [...placesOf(account), endedOf(account, run), run, holder, endedForMs]
    await this.redis.ask((redis) => redis.run(vacatePlace, args))
  }

  used(key: KeyId, now: number): void {
    this.fresh.set(key, Math.max(this.fresh.get(key) ?? 0, Math.floor(now)))
    this.arm()
  }

  async lastUsed(keys: readonly KeyId[]): Promise<(number | undefined)[]> {
    if (keys.length === 0) return []
    const noted = await this.redis.ask((redis) => redis.hmget(USED, keys))
    return keys.map((key, i) => {
      const latest = Math.max(Number(noted[i] ?? 0), this.fresh.get(key) ?? 0)
      return latest > 0 ? latest : undefined
    })
  }

  /** Writes the times that are in memory alone; those that can't be written are lost, and told of. */
  async close(): Promise<void> {
    clearTimeout(this.timer)
    await this.flush()
  }

  private time(now: number): string {
    return this.options.clock === 'caller' ? String(Math.floor(now)) : ''
  }

  private arm(): void {
    if (this.timer !== undefined) return
    this.timer = setTimeout(async () => {
      await this.flush()
      this.timer = undefined
      if (this.fresh.size > 0) this.arm()
    }, this.options.flushMs ?? 3000)
    // A process that has nothing else to do may end: it closes what it opened before.
    this.timer.unref()
  }

  private async flush(): Promise<void> {
    const times = [...this.fresh]
    for (let i = 0; i < times.length; i += NOTED_AT_ONCE) {
      const part = times.slice(i, i + NOTED_AT_ONCE)
      try {
        await this.redis.write((redis) => redis.run(noteTimes, [USED, ...part.flat()]))
      } catch (error) {
        this.report(error)
        return
      }
      for (const [key, at] of part) if (this.fresh.get(key) === at) this.fresh.delete(key)
    }
  }

  private report(error: unknown): void {
    if (this.options.onError) this.options.onError(error)
    else process.emitWarning(`times of last use could not be written: ${error}`)
  }
}

/** When an account's places end, and who holds them. */
const placesOf = (account: AccountId): [string, string] => [
  `gleaner:{${account}}:places`,
  `gleaner:{${account}}:holders`,
]
const endedOf = (account: AccountId, run: RunId): string => `gleaner:{${account}}:ended:${run}`
