/** The read models in Redis fulfil the contract, on one server and on a cluster of three. */
import { describe } from 'bun:test'
import { RedisReadModels } from '../../src/read/redis/read-models.ts'
import { openRedis } from '../../src/redis/connection.ts'
import { hasCluster, hasRedis, joined, redisServers, type TestRedis } from '../servers/redis.ts'
import { readModelsContract } from './read-models.ts'

const servers = redisServers()

function contractOn(name: string, isThere: boolean, start: () => Promise<readonly TestRedis[]>): void {
  let started: Promise<readonly TestRedis[]> | undefined
  const suite = describe.skipIf(!isThere)
  suite('Redis', () =>
    readModelsContract(name, async () => {
      started ??= start()
      const nodes = await started
      for (const node of nodes) await node.command('FLUSHALL')
      let redis = await openRedis(nodes[0]!.url)
      return {
        models: new RedisReadModels(redis),
        async reopen() {
          await redis.close()
          redis = await openRedis(nodes[0]!.url)
          return new RedisReadModels(redis)
        },
        close: () => redis.close(),
      }
    }))
}

contractOn('one server', hasRedis, async () => [await servers.start()])
contractOn('a cluster of three', hasCluster, async () => {
  const nodes = await Promise.all([1, 2, 3].map(() => servers.start('--cluster-enabled', 'yes')))
  await joined(nodes)
  return nodes
})
