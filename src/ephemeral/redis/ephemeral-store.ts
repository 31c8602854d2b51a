/**
 * The ephemeral store in Redis, shared by all processes: rate limits, slots of running runs, times of last use, rests and
 * use of exits, the pace of sources. The keys of an account have its id as hash tag. All keys except the times of last use
 * expire.
 *
 * @module
 */
import type { AccountId, RunId } from '../../domain/ids.ts'
import type { RedisConnection } from '../../redis/connection.ts'
import type { RedisScript } from '../../redis/scripts.ts'
import {
  type EphemeralStore,
  FILLS_IN_MIN,
  type RateClass,
  type RateVerdict,
  type RunSlots,
  type SlotAnswer,
  type TryClass,
} from '../ephemeral-store.ts'
import { exitDaysOn } from '../exit-days.ts'
import { timesOfLastUse } from '../last-used.ts'
import { verdictOf } from '../token-buckets.ts'
import type { WriteBehindOptions } from '../write-behind.ts'
import { renewedAfterOutage } from './after-outage.ts'
import { redisExitDays } from './exit-days.ts'
import { redisExitRests } from './exit-rests.ts'
import { acquireSlot, noteTimes, releaseSlot, renewSlots, takeToken } from './scripts.ts'
import { RedisSharedPace } from './shared-pace.ts'

const USED = 'gleaner:used'

export type RedisEphemeralStoreOptions = WriteBehindOptions & {
  /**
   * The clock in use. `server` by default: the clocks of several machines differ, and each switch between them would
   * fill buckets and end slots. `caller` for tests.
   */
  readonly clock?: 'server' | 'caller'
}

/** Opens the ephemeral store on a connection, which the caller must close. */
export function openRedisEphemeralStore(
  redis: RedisConnection,
  options: RedisEphemeralStoreOptions = {},
): EphemeralStore {
  /** The time for a script; "" for the server's time. */
  const clock = (now: number) => (options.clock === 'caller' ? String(Math.floor(now)) : '')
  const ask = (script: RedisScript, args: readonly (string | number)[]) =>
    redis.ask((client) => client.run(script, args))
  const bucket = async (
    owner: string,
    kind: RateClass | TryClass,
    most: number,
    now: number,
    how: 'take' | 'look' = 'take',
  ): Promise<RateVerdict> => {
    const minutes = FILLS_IN_MIN[kind]
    const args = [`gleaner:{${owner}}:rate:${kind}`, most, clock(now), how, minutes]
    const [allowed, spent] = (await ask(takeToken, args)) as [number, number]
    return verdictOf(allowed === 1, spent, most, minutes)
  }
  const times = timesOfLastUse(
    {
      async write(times) {
        await redis.write((client) => client.run(noteTimes, [USED, ...times.flat()]))
      },
      async read(names) {
        const noted = await redis.ask((client) => client.hmget(USED, names))
        return noted.map((at) => Number(at ?? 0))
      },
      async remove(names) {
        await redis.ask((client) => client.hdel(USED, ...names))
      },
    },
    options,
  )
  const pace = new RedisSharedPace(redis)
  const runSlots: RunSlots = {
    async acquire({ run, account, holder }, limit, forMs, now) {
      const keys = [...slotKeys(account), endedKey(account, run)]
      return (await ask(acquireSlot, [...keys, run, holder, limit, forMs, clock(now)])) as SlotAnswer
    },
    async renew(slots, forMs, now) {
      const accounts = Map.groupBy(slots, ({ account }) => account)
      await Promise.all(
        [...accounts].map(([account, its]) => {
          const runs = its.flatMap(({ run, holder }) => [run, holder])
          return ask(renewSlots, [...slotKeys(account), forMs, clock(now), ...runs])
        }),
      )
    },
    async release({ run, account, holder }, endedForMs) {
      await ask(releaseSlot, [...slotKeys(account), endedKey(account, run), run, holder, endedForMs])
    },
  }
  const exitDays = exitDaysOn(redisExitDays(redis), options)
  return {
    runSlots: renewedAfterOutage(runSlots, () => redis.ask((client) => client.time())),
    exitRests: redisExitRests(redis),
    exitDays,
    pace,
    take: (name, kind, most, now) => bucket(name, kind, most, now),
    async waitS(name, kind, most, now) {
      const { allowed, resetS } = await bucket(name, kind, most, now, 'look')
      return allowed ? 0 : resetS
    },
    ...times,
    async close() {
      await Promise.all([times.close(), exitDays.close(), pace.close()])
    },
  }
}

/** The keys of the expiries and holders of an account's slots. */
const slotKeys = (account: AccountId): [string, string] => [
  `gleaner:{${account}}:places`,
  `gleaner:{${account}}:holders`,
]
const endedKey = (account: AccountId, run: RunId): string => `gleaner:{${account}}:ended:${run}`
