/** The feed on EventStoreDB, with the read model in Redis. */
import { afterAll, describe } from 'bun:test'
import { openEventstoreLog } from '../../src/log/eventstore/log.ts'
import { RedisReadModels } from '../../src/read/redis/read-models.ts'
import { openRedis } from '../../src/redis/connection.ts'
import { type EventStoreProcess, startEventStoreProcess } from '../servers/eventstore/process.ts'
import { hasRedis, redisServers, type TestRedis } from '../servers/redis.ts'
import { feedContract, type OpenedStores, projectedFeedContract } from './feed.ts'

const servers = redisServers()
let redisServer: TestRedis | undefined
let fake: EventStoreProcess | undefined
afterAll(() => fake?.kill())

/** A new event store for each test: its whole content is compared. */
async function anEventStore() {
  fake ??= await startEventStoreProcess()
  return openEventstoreLog((await fake.another()).url)
}

async function onRedis(): Promise<OpenedStores> {
  const log = await anEventStore()
  redisServer ??= await servers.start()
  await redisServer.command('FLUSHALL')
  const redis = await openRedis(redisServer.url)
  return {
    log,
    readModels: new RedisReadModels(redis),
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
