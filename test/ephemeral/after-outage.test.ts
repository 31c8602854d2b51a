/** After an outage of Redis, running runs get their slots back before queued runs get any. */
import { expect, test } from 'bun:test'
import type { AccountId, RunId } from '../../src/domain/ids.ts'
import type { RunSlots } from '../../src/ephemeral/ephemeral-store.ts'
import { renewedAfterOutage } from '../../src/ephemeral/redis/after-outage.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'

const LEASE_MS = 30_000
const SLOT = { run: 'run_1' as RunId, account: 'acc_1' as AccountId, holder: 'w1' }

/** Slots that anybody gets, in a Redis that can be away, on a clock that the test moves. */
function stand() {
  const redis = { isAway: false, ms: 0 }
  const answer = async <T>(value: T): Promise<T> => {
    if (redis.isAway) throw new StoreUnavailable('away')
    return value
  }
  const inRedis: RunSlots = {
    acquire: () => answer('granted' as const),
    renew: () => answer(undefined),
    release: () => answer(undefined),
  }
  const slots = renewedAfterOutage(
    inRedis,
    () => answer(undefined),
    () => redis.ms,
  )
  const acquire = async () => slots.acquire(SLOT, 1, LEASE_MS, redis.ms)
  const away = async (ms: number) => {
    redis.isAway = true
    await expect(acquire()).rejects.toThrow(StoreUnavailable)
    redis.ms += ms
    redis.isAway = false
  }
  return { redis, slots, acquire, away }
}

test('after an outage of a whole lease, no slot is acquired until every worker has had the time to renew its own', async () => {
  const { redis, slots, acquire, away } = stand()
  expect(await acquire()).toBe('granted')
  await away(LEASE_MS)
  await expect(acquire()).rejects.toThrow('being renewed')
  await slots.renew([SLOT], LEASE_MS, redis.ms)
  redis.ms += LEASE_MS / 3 - 1
  await expect(acquire()).rejects.toThrow('being renewed')
  redis.ms += 1
  expect(await acquire()).toBe('granted')
})

test('an outage that only a renewal met counts too', async () => {
  const { redis, slots, acquire } = stand()
  await acquire()
  redis.isAway = true
  await expect(slots.renew([SLOT], LEASE_MS, redis.ms) as Promise<void>).rejects.toThrow(StoreUnavailable)
  redis.ms += LEASE_MS
  redis.isAway = false
  await slots.renew([SLOT], LEASE_MS, redis.ms)
  await expect(acquire()).rejects.toThrow('being renewed')
})

test('a single call without an answer delays nothing', async () => {
  const { acquire, away } = stand()
  await acquire()
  await away(1500)
  expect(await acquire()).toBe('granted')
})
