/** The delivery store in Redis fulfils the contract, on one server and on a cluster. */
import { afterAll, describe, expect, test } from 'bun:test'
import type { WebhookId } from '../../src/domain/ids.ts'
import { type Position, StoreUnavailable } from '../../src/log/event-log.ts'
import { openRedis, type RedisConnection } from '../../src/redis/connection.ts'
import { openRedisDeliveryStore } from '../../src/webhooks/deliveries/redis/delivery-store.ts'
import { hasRedis, redisServers } from '../servers/redis.ts'
import { CALLS, delivery, deliveryStoreContract } from './delivery-store.ts'
import { onRedis } from './on-redis.ts'

const servers = redisServers()
const connections: RedisConnection[] = []
afterAll(() => Promise.all(connections.map((redis) => redis.close())))

async function open(url: string, options?: Parameters<typeof openRedisDeliveryStore>[1]) {
  const redis = await openRedis(url)
  connections.push(redis)
  return { redis, store: openRedisDeliveryStore(redis, options) }
}

onRedis((name, emptied) =>
  deliveryStoreContract(name, true, async () => {
    const url = await emptied()
    let { redis, store } = await open(url, { clock: 'caller' })
    return {
      store,
      async reopen() {
        await redis.close()
        ;({ redis, store } = await open(url, { clock: 'caller' }))
        return store
      },
      close: () => redis.close(),
    }
  }),
)

const A = 'whk_a' as WebhookId
const B = 'whk_b' as WebhookId
const CURSOR = { logId: 'log', position: 3 as Position }

describe.skipIf(!hasRedis)('Redis', () => {
  test('a lease expires by the clock of the server: a process whose clock is ahead does not get it', async () => {
    const { url } = await servers.start()
    const [{ store: one }, { store: two }] = [await open(url), await open(url)]
    expect([...(await one.lease([A], 'one', 60_000, 0)).keys()]).toEqual([A])
    expect([...(await two.lease([A, B], 'two', 20, 1e15)).keys()]).toEqual([B])
    let mine = await one.lease([B], 'one', 60_000, 0)
    while (!mine.has(B)) mine = await one.lease([B], 'one', 60_000, 0)
    expect([...(await two.lease([B], 'two', 20, 1e15)).keys()]).toEqual([])
  })

  test('forget leaves no key of an endpoint', async () => {
    const server = await servers.start()
    const { store } = await open(server.url)
    await store.lease([A], 'one', 60_000, 0)
    await store.queue(
      A,
      [1, 2, 3].map((n) => delivery(n)),
      CURSOR,
    )
    await store.put([
      delivery(1, { state: 'delivered', nextAt: null }),
      delivery(2, { state: 'failed', nextAt: null }),
      delivery(3, { once: true }),
    ])
    await store.noted(A, false, 1)
    expect(await server.command('DBSIZE')).toBeGreaterThan(5)
    await store.forget(A)
    expect(await server.command('KEYS', '*')).toEqual([])
  })

  test('calls fail with StoreUnavailable while the server hangs, and the data is there when it is back', async () => {
    const server = await servers.start()
    const { store } = await open(server.url)
    await store.queue(A, [delivery(1)], CURSOR)
    server.freeze()
    const calls: typeof CALLS = {
      ...CALLS,
      lease: (store) => store.lease([A], 'one', 1, 0),
      release: (store) => store.release([A], 'one'),
    }
    for (const call of Object.values(calls)) await expect(call(store)).rejects.toThrow(StoreUnavailable)
    server.thaw()
    const { store: other } = await open(server.url)
    expect(await other.find(A, 'event-1')).toEqual(delivery(1))
    expect(await other.cursor(A)).toEqual(CURSOR)
  })

  test('a queue call that fails for lack of memory writes nothing, and can be repeated', async () => {
    const server = await servers.start()
    const { store } = await open(server.url)
    const queue = () =>
      store.queue(
        A,
        [1, 2, 3].map((n) => delivery(n)),
        CURSOR,
      )
    await server.command('CONFIG', 'SET', 'maxmemory', 1)
    await expect(queue()).rejects.toThrow(StoreUnavailable)
    expect(await server.command('KEYS', '*')).toEqual([])
    await server.command('CONFIG', 'SET', 'maxmemory', 0)
    await queue()
    expect(await store.list(A, { limit: 9 })).toHaveLength(3)
  })
})
