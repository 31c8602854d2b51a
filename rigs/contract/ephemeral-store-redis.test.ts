/** The ephemeral store in Redis: the contract, and its guarantees beyond it. */
import { afterAll, describe, expect, test } from 'bun:test'
import type { AccountId, KeyId, RunId } from '../../src/domain/ids.ts'
import {
  openRedisEphemeralStore,
  type RedisEphemeralStoreOptions,
} from '../../src/ephemeral/redis/ephemeral-store.ts'
import { openRedis, type RedisConnection } from '../../src/redis/connection.ts'
import { hasRedis, redisServers, type TestRedis } from '../servers/redis.ts'
import { ephemeralStoreContract, runSlotsContract } from './ephemeral-store.ts'
import { onRedis } from './on-redis.ts'

const servers = redisServers()
const connections: RedisConnection[] = []
afterAll(() => Promise.all(connections.map((redis) => redis.close())))

const A = 'acc_00000000000000000000000001' as AccountId
const KEY = 'key_00000000000000000000000001' as KeyId
const SLOT = { run: 'run_00000000000000000000000001' as RunId, account: A, holder: 'w1' }

onRedis((name, emptied) => {
  const open = async () => {
    const redis = await openRedis(await emptied())
    let ephemeral = openRedisEphemeralStore(redis, { clock: 'caller' })
    return {
      ephemeral,
      slots: ephemeral.runSlots!,
      async reopen() {
        await ephemeral.close()
        ephemeral = openRedisEphemeralStore(redis, { clock: 'caller' })
        return ephemeral
      },
      async close() {
        await ephemeral.close()
        await redis.close()
      },
    }
  }
  ephemeralStoreContract(name, open)
  runSlotsContract(name, open)
})

describe.skipIf(!hasRedis)('Redis', () => {
  const open = async (server: TestRedis, options?: RedisEphemeralStoreOptions) => {
    const redis = await openRedis(server.url)
    connections.push(redis)
    return openRedisEphemeralStore(redis, options)
  }

  test('several processes share buckets, slots and times of last use, by the clock of the server', async () => {
    const server = await servers.start()
    const [one, two] = [await open(server), await open(server, { flushMs: 1 })]
    expect(await one.take(A, 'kickoff', 2, 0)).toMatchObject({ allowed: true, remaining: 1 })
    expect(await two.take(A, 'kickoff', 2, 1e15)).toMatchObject({ allowed: true, remaining: 0 })
    expect(await one.take(A, 'kickoff', 2, 2e15)).toMatchObject({ allowed: false })
    expect(await one.runSlots!.acquire(SLOT, 1, 60_000, 0)).toBe('granted')
    expect(await two.runSlots!.acquire({ ...SLOT, holder: 'w2' }, 1, 60_000, 1e15)).toBe('taken')
    two.used(KEY, 7)
    while ((await one.lastUsed([KEY]))[0] !== 7) await new Promise((go) => setTimeout(go, 1))
  })

  test('every key has a TTL, and keys of expired slots disappear', async () => {
    const server = await servers.start()
    const ephemeral = await open(server)
    await ephemeral.take(A, 'read', 100, 0)
    await ephemeral.runSlots!.acquire(SLOT, 1, 1, 0)
    const keys = (await server.command('KEYS', '*')) as string[]
    expect(keys.length).toBe(3)
    for (const key of keys) expect(Number(await server.command('PTTL', key))).toBeGreaterThan(0)
    while (((await server.command('KEYS', '*places')) as string[]).length > 0)
      await new Promise((go) => setTimeout(go, 50))
  })

  test('times of last use that could not be written are reported and written later', async () => {
    const server = await servers.start()
    const errors: unknown[] = []
    const ephemeral = await open(server, { flushMs: 1, onError: (error) => errors.push(error) })
    await server.command('CONFIG', 'SET', 'maxmemory', 1)
    ephemeral.used(KEY, 3)
    while (errors.length === 0) await new Promise((go) => setTimeout(go, 1))
    expect(await ephemeral.lastUsed([KEY])).toEqual([3])
    await server.command('CONFIG', 'SET', 'maxmemory', 0)
    while ((await server.command('HGET', 'gleaner:used', KEY)) !== '3')
      await new Promise((go) => setTimeout(go, 1))
  })

  test('calls are counted and slots are granted even when memory is full', async () => {
    const server = await servers.start()
    const ephemeral = await open(server)
    await server.command('CONFIG', 'SET', 'maxmemory', 1)
    expect(await ephemeral.take(A, 'read', 2, 0)).toMatchObject({ allowed: true, remaining: 1 })
    expect(await ephemeral.take(A, 'read', 2, 0)).toMatchObject({ allowed: true, remaining: 0 })
    expect(await ephemeral.runSlots!.acquire(SLOT, 1, 60_000, 0)).toBe('granted')
    await ephemeral.runSlots!.renew([{ ...SLOT, account: 'acc_2' as AccountId }], 60_000, 0)
    expect(await ephemeral.runSlots!.acquire({ ...SLOT, holder: 'w2' }, 1, 60_000, 0)).toBe('taken')
  })
})
