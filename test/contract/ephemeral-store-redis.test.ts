/** What may be lost keeps the contract in Redis too, and what is promised there beyond it. */
import { afterAll, describe, expect, test } from 'bun:test'
import type { AccountId, KeyId, RunId } from '../../src/domain/ids.ts'
import { openRedisVolatile, type RedisVolatileOptions } from '../../src/ephemeral/redis/ephemeral-store.ts'
import { openRedis, type RedisConnection } from '../../src/redis/connection.ts'
import { hasCluster, hasRedis, joined, redisServers, type TestRedis } from '../support/redis.ts'
import { volatileContract } from './ephemeral-store.ts'

const servers = redisServers()
const connections: RedisConnection[] = []
afterAll(() => Promise.all(connections.map((redis) => redis.close())))

const A = 'acc_00000000000000000000000001' as AccountId
const KEY = 'key_00000000000000000000000001' as KeyId
const PLACE = { run: 'run_00000000000000000000000001' as RunId, account: A, holder: 'w1' }

function contractOn(name: string, isThere: boolean, start: () => Promise<readonly TestRedis[]>): void {
  let started: Promise<readonly TestRedis[]> | undefined
  const suite = describe.skipIf(!isThere)
  suite('Redis', () =>
    volatileContract(name, async () => {
      started ??= start()
      const nodes = await started
      for (const node of nodes) await node.command('FLUSHALL')
      const redis = await openRedis(nodes[0]!.url)
      let volatile = openRedisVolatile(redis, { clock: 'caller' })
      return {
        volatile,
        async reopen() {
          await volatile.close()
          volatile = openRedisVolatile(redis, { clock: 'caller' })
          return volatile
        },
        async close() {
          await volatile.close()
          await redis.close()
        },
      }
    }))
}

contractOn('one server', hasRedis, async () => [await servers.start()])
contractOn('a cluster of three', hasCluster, async () => {
  const nodes = await Promise.all([1, 2, 3].map(() => servers.start('--cluster-enabled', 'yes')))
  await joined(nodes)
  return nodes
})

describe.skipIf(!hasRedis)('Redis', () => {
  const open = async (server: TestRedis, options?: RedisVolatileOptions) => {
    const redis = await openRedis(server.url)
    connections.push(redis)
    return openRedisVolatile(redis, options)
  }

  test('several processes share buckets, places and times, by the clock of the server alone', async () => {
    const server = await servers.start()
    const [one, two] = [await open(server), await open(server, { flushMs: 1 })]
    expect(await one.take(A, 'kickoff', 2, 0)).toMatchObject({ allowed: true, remaining: 1 })
    expect(await two.take(A, 'kickoff', 2, 1e15)).toMatchObject({ allowed: true, remaining: 0 })
    expect(await one.take(A, 'kickoff', 2, 2e15)).toMatchObject({ allowed: false })
    expect(await one.occupy(PLACE, 1, 60_000, 0)).toBe('granted')
    expect(await two.occupy({ ...PLACE, holder: 'w2' }, 1, 60_000, 1e15)).toBe('taken')
    two.used(KEY, 7)
    while ((await one.lastUsed([KEY]))[0] !== 7) await new Promise((go) => setTimeout(go, 1))
  })

  test('what expires has a time to live, and goes by itself', async () => {
    const server = await servers.start()
    const volatile = await open(server)
    await volatile.take(A, 'read', 100, 0)
    await volatile.occupy(PLACE, 1, 1, 0)
    const keys = (await server.command('KEYS', '*')) as string[]
    expect(keys.length).toBe(3)
    for (const key of keys) expect(Number(await server.command('PTTL', key))).toBeGreaterThan(0)
    while (((await server.command('KEYS', '*places')) as string[]).length > 0)
      await new Promise((go) => setTimeout(go, 50))
  })

  test('times that could not be written are told of and written later', async () => {
    const server = await servers.start()
    const errors: unknown[] = []
    const volatile = await open(server, { flushMs: 1, onError: (error) => errors.push(error) })
    await server.command('CONFIG', 'SET', 'maxmemory', 1)
    volatile.used(KEY, 3)
    while (errors.length === 0) await new Promise((go) => setTimeout(go, 1))
    expect(await volatile.lastUsed([KEY])).toEqual([3])
    await server.command('CONFIG', 'SET', 'maxmemory', 0)
    while ((await server.command('HGET', 'gleaner:used', KEY)) !== '3')
      await new Promise((go) => setTimeout(go, 1))
  })

  test('calls are counted and places taken though memory is full', async () => {
    const server = await servers.start()
    const volatile = await open(server)
    await server.command('CONFIG', 'SET', 'maxmemory', 1)
    expect(await volatile.take(A, 'read', 2, 0)).toMatchObject({ allowed: true, remaining: 1 })
    expect(await volatile.take(A, 'read', 2, 0)).toMatchObject({ allowed: true, remaining: 0 })
    expect(await volatile.occupy(PLACE, 1, 60_000, 0)).toBe('granted')
    await volatile.keep([{ ...PLACE, account: 'acc_2' as AccountId }], 60_000, 0)
    expect(await volatile.occupy({ ...PLACE, holder: 'w2' }, 1, 60_000, 0)).toBe('taken')
  })
})
