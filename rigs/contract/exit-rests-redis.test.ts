/** The rests of exits in Redis fulfil the contract, on one server and on a cluster, and expire. */
import { describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/config.ts'
import { KEPT_AFTER_MS } from '../../src/ephemeral/exit-rests.ts'
import { redisExitRests } from '../../src/ephemeral/redis/exit-rests.ts'
import { Exits } from '../../src/net/exits/exits.ts'
import { openRedis } from '../../src/redis/connection.ts'
import { until } from '../servers/processes.ts'
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

  test('that is frozen or was emptied delays a run, and then its exit is chosen as if none rested', async () => {
    const server = await servers.start()
    const redis = await openRedis(server.url)
    const exits = new Exits({
      config: readConfig({ PROXY_URL: 'http://a.example http://b.example' }),
      rests: redisExitRests(redis),
      now: Date.now,
      logger: { debug() {}, warn() {} },
    })
    const FIRST = { label: 'default#1', number: 1 }
    const numbers = async () => {
      const all = await Promise.all(Array.from({ length: 60 }, () => exits.forRun('forum')))
      return new Set(all.map((exit) => exit?.number))
    }
    await exits.ended(FIRST, 'forum', 'blocked')
    expect(await numbers()).toEqual(new Set([2]))
    server.freeze()
    expect(await numbers()).toEqual(new Set([1, 2]))
    await exits.ended({ label: 'default#2', number: 2 }, 'forum', 'blocked')
    server.thaw()
    // What ended meanwhile is lost, and what rested before rests on.
    await until(async () => (await numbers()).size === 1)
    expect(await numbers()).toEqual(new Set([2]))
    await server.command('FLUSHALL')
    expect(await numbers()).toEqual(new Set([1, 2]))
    await exits.ended(FIRST, 'forum', 'blocked')
    expect(await exits.resting()).toMatchObject([{ label: 'default#1', count: 1 }])
    await redis.close()
    // Less than the timeout of a call that no run waits for.
  }, 8000)
})
