/** The use of exits in Redis fulfils the contract, on one server and on a cluster, and expires. */
import { describe, expect, test } from 'bun:test'
import { DAY_MS, exitDaysOn, KEPT_DAYS } from '../../src/ephemeral/exit-days.ts'
import { redisExitDays } from '../../src/ephemeral/redis/exit-days.ts'
import { openRedis } from '../../src/redis/connection.ts'
import { hasRedis, redisServers } from '../servers/redis.ts'
import { exitDaysContract } from './exit-days.ts'
import { onRedis } from './on-redis.ts'

const servers = redisServers()

onRedis((name, emptied) =>
  exitDaysContract(name, async () => {
    const redis = await openRedis(await emptied())
    const days = exitDaysOn(redisExitDays(redis))
    const close = async () => {
      await days.close()
      await redis.close()
    }
    return { days, close }
  }),
)

describe.skipIf(!hasRedis)('Redis', () => {
  test('two nodes add to the same day, which expires 30 days after its last count', async () => {
    const server = await servers.start()
    const redis = await openRedis(server.url)
    const [one, other] = [exitDaysOn(redisExitDays(redis)), exitDaysOn(redisExitDays(redis))]
    const counts = { runs: 1, blocked: 1, failed: 0, requests: 2, bytes: 10 }
    one.count('home#1', 'forum', counts, 0)
    other.count('home#1', 'forum', counts, 0)
    await one.close()
    expect(await other.days(0)).toMatchObject([{ runs: 2, blocked: 2, requests: 4, bytes: 20 }])
    const left = Number(await server.command('PTTL', 'gleaner:exit-days:1970-01-01'))
    expect(left).toBeGreaterThan((KEPT_DAYS - 1) * DAY_MS)
    expect(left).toBeLessThanOrEqual(KEPT_DAYS * DAY_MS)
    await redis.close()
  })
})
