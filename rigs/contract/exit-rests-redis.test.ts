/** The rests of exits in Redis fulfil the contract, on one server and on a cluster, and expire. */
import { describe, expect, test } from 'bun:test'
import { KEPT_AFTER_MS } from '../../src/ephemeral/exit-rests.ts'
import { redisExitRests } from '../../src/ephemeral/redis/exit-rests.ts'
import { openRedis } from '../../src/redis/connection.ts'
import { hasRedis, redisServers } from '../servers/redis.ts'
import { exitRestsContract } from './exit-rests.ts'
import { onRedis } from './on-redis.ts'

const servers = redisServers()

onRedis((name, emptied) =>
  exitRestsContract(name, async () => {
    const redis = await openRedis(await emptied())
    return { rests: redisExitRests(redis), close: () => redis.close() }
  }),
)

describe.skipIf(!hasRedis)('Redis', () => {
  test('deletes all rests a day after the end of the last one', async () => {
    const server = await servers.start()
    const redis = await openRedis(server.url)
    const rests = redisExitRests(redis)
    await rests.put('late', { until: 60_000, count: 1 }, 0)
    await rests.put('soon', { until: 1000, count: 1 }, 0)
    const left = Number(await server.command('PTTL', 'gleaner:exit-rests'))
    expect(left).toBeGreaterThan(KEPT_AFTER_MS)
    expect(left).toBeLessThanOrEqual(KEPT_AFTER_MS + 60_000)
    await redis.close()
  })
})
