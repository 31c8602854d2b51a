/** Deliveries of webhooks keep the contract in Redis too, on one server and on a cluster. */
import { describe } from 'bun:test'
import { openRedis } from '../../src/redis/connection.ts'
import { openRedisDeliveryStore } from '../../src/webhooks/redis/delivery-store.ts'
import { hasCluster, hasRedis, joined, redisServers, type TestRedis } from '../support/redis.ts'
import { deliveryStoreContract } from './delivery-store.ts'

const servers = redisServers()

function contractOn(name: string, isThere: boolean, start: () => Promise<readonly TestRedis[]>): void {
  let started: Promise<readonly TestRedis[]> | undefined
  describe.skipIf(!isThere)('Redis', () =>
    deliveryStoreContract(name, true, async () => {
      started ??= start()
      const nodes = await started
      for (const node of nodes) await node.command('FLUSHALL')
      const redis = await openRedis(nodes[0]!.url)
      return { store: openRedisDeliveryStore(redis), close: () => redis.close() }
    }),
  )
}

contractOn('one server', hasRedis, async () => [await servers.start()])
contractOn('a cluster of three', hasCluster, async () => {
  const nodes = await Promise.all([1, 2, 3].map(() => servers.start('--cluster-enabled', 'yes')))
  await joined(nodes)
  return nodes
})
