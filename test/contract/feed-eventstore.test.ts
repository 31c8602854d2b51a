/** The feed on EventStoreDB, with the read model in Redis. */
import { afterAll, describe } from 'bun:test'
import { openEventstoreLog } from '../../src/log/eventstore/log.ts'
import { openRedisReadModels } from '../../src/read/redis/read-models.ts'
import { openRedis } from '../../src/redis/connection.ts'
import { startEventStoreProcess } from '../eventstore/process.ts'
import { hasRedis, redisServers, type TestRedis } from '../support/redis.ts'
import { feedContract, type OpenedStores, projectedFeedContract } from './feed.ts'

const servers = redisServers()
let server: TestRedis | undefined
const stops: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const stop of stops) await stop()
})

/** An event store of its own for each test: what stands in it is compared as a whole. */
async function anEventStore() {
  const fake = await startEventStoreProcess()
  stops.push(() => fake.kill())
  return openEventstoreLog(fake.url)
}

async function onRedis(): Promise<OpenedStores> {
  const log = await anEventStore()
  server ??= await servers.start()
  await server.command('FLUSHALL')
  const redis = await openRedis(server.url)
  return {
    log,
    readModels: openRedisReadModels(redis),
    async close() {
      await redis.close()
      await log.close()
    },
  }
}

describe.skipIf(!hasRedis)('with Redis', () => {
  feedContract('EventStoreDB (fake) and Redis', onRedis)
  projectedFeedContract('EventStoreDB (fake) and Redis', onRedis)
})
