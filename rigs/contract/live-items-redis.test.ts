/** Live items in Redis: the contract, and what holds when Redis is slow, away or empty. */
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { replaceClock } from '../../src/async/clock.ts'
import { openRedis, type RedisConnection } from '../../src/redis/connection.ts'
import { RedisLiveItems } from '../../src/runs/items/redis/live-items.ts'
import { Collected } from '../../src/worker/collected.ts'
import { hasCluster, hasRedis, joined, monitored, redisServers, type TestRedis } from '../servers/redis.ts'
import { itemsOf, liveItemsContract, passing, shown, until } from './live-items.ts'

const servers = redisServers()
const connections: RedisConnection[] = []
afterAll(() => Promise.all(connections.map((redis) => redis.close())))
afterEach(() => replaceClock())

const LEASE_S = 30
const RUN = {
  runId: 'run_00000000000000000000000001',
  accountId: 'acc_00000000000000000000000001',
  attempt: 1,
} as never
const KEY = 'gleaner:{acc_00000000000000000000000001}:items:run_00000000000000000000000001:1'

async function openOn(server: TestRedis) {
  const redis = await openRedis(server.url)
  connections.push(redis)
  return new RedisLiveItems(redis, LEASE_S)
}

function contractOn(name: string, isThere: boolean, start: () => Promise<TestRedis>): void {
  let started: Promise<TestRedis> | undefined
  describe.skipIf(!isThere)('Redis', () => {
    liveItemsContract(name, async () => {
      started ??= start()
      const server = await started
      return { worker: await openOn(server), reader: await openOn(server), close: async () => {} }
    })
  })
}

contractOn('one server', hasRedis, () => servers.start())
contractOn('a cluster of three', hasCluster, async () => {
  const nodes = await Promise.all([1, 2, 3].map(() => servers.start('--cluster-enabled', 'yes')))
  await joined(nodes)
  return nodes[0]!
})

describe.skipIf(!hasRedis)('live items in Redis', () => {
  test('a run of less than two seconds costs no command, and a quiet one only renews', async () => {
    const server = await servers.start()
    const items = await openOn(server)
    const { commands, close } = await monitored(server)
    const pass = passing()
    const collected = new Collected()
    const short = items.share(RUN, collected)
    collected.add(itemsOf({ n: 1 }))
    pass(1900)
    short.tick()
    short.stop()
    const quiet = items.share({ ...(RUN as object), attempt: 2 } as never, new Collected())
    for (let n = 0; n < 10; n++) {
      pass(2000)
      quiet.tick()
    }
    quiet.stop()
    const shared = items.share(RUN, collected)
    pass(2000)
    await shown({ reader: items }, RUN, shared, (page) => page?.total === 1)
    const handovers = () => commands.filter((line) => / lua\] "PEXPIRE"/i.test(line)).length
    await until(async () => handovers() > 0)
    const before = handovers()
    expect(before).toBe(1)
    for (let n = 0; n < 4; n++) {
      pass(2000)
      shared.tick()
      await server.command('PING')
    }
    expect(handovers()).toBe(before)
    pass(10_000)
    shared.tick()
    await until(async () => handovers() === before + 1)
    shared.stop()
    await until(async () => (await server.command('EXISTS', KEY)) === 0)
    expect(await server.command('DBSIZE')).toBe(0)
    close()
  })

  test('the items of a lost worker expire a little after its lease, and take 4 MiB at most', async () => {
    const server = await servers.start()
    const items = await openOn(server)
    const pass = passing()
    const collected = new Collected()
    const shared = items.share(RUN, collected)
    const text = 'x'.repeat(50_000)
    for (let n = 0; n < 200; n++) collected.add(itemsOf({ n, text }))
    pass(2000)
    await until(async () => {
      shared.tick()
      const { parts = [] } = (await items.find(RUN)) ?? {}
      return parts.reduce((sum, [count]) => sum + count, 0) === 83
    })
    for (let n = 0; n < 5; n++) {
      pass(12_000)
      collected.add(itemsOf({ n, text }))
      await shown({ reader: items }, RUN, shared, (page) => page?.total === 201 + n)
    }
    const bytes = (await server.command('MEMORY', 'USAGE', KEY)) as number
    expect(bytes).toBeLessThan(6 * 1024 * 1024)
    const ttl = (await server.command('PTTL', KEY)) as number
    expect(ttl).toBeGreaterThan(LEASE_S * 1000)
    expect(ttl).toBeLessThanOrEqual((LEASE_S + 10) * 1000)
    shared.stop()
  })

  test('items that Redis has lost are handed over again', async () => {
    const server = await servers.start()
    const items = await openOn(server)
    const pass = passing()
    const collected = new Collected()
    const shared = items.share(RUN, collected)
    collected.add(itemsOf({ n: 1 }))
    pass(2000)
    await shown({ reader: items }, RUN, shared, (page) => page?.total === 1)
    await server.command('FLUSHALL')
    expect(await items.find(RUN)).toBeUndefined()
    collected.add(itemsOf({ n: 2 }))
    pass(2000)
    await shown({ reader: items }, RUN, shared, (page) => JSON.stringify(page?.items) === '[{"n":1},{"n":2}]')
    shared.stop()
  })

  test('while Redis is frozen or away, a worker writes once at a time and goes on, and a reader finds none', async () => {
    const server = await servers.start()
    const items = await openOn(server)
    const reader = await openOn(server)
    const pass = passing()
    const collected = new Collected()
    const runs = Array.from({ length: 40 }, (_, n) => ({ ...(RUN as object), attempt: n + 1 }) as never)
    const shared = runs.map((run) => items.share(run, collected))
    collected.add(itemsOf({ n: 1 }))
    pass(2000)
    server.freeze()
    for (let n = 0; n < 50; n++) {
      pass(2000)
      for (const each of shared) each.tick()
    }
    expect(await reader.find(RUN)).toBeUndefined()
    await server.stop()
    await until(async () => (await reader.find(RUN)) === undefined)
    await server.start()
    pass(2000)
    for (const [i, each] of shared.entries())
      await shown({ reader }, runs[i]!, each, (page) => page?.total === 1)
    for (const each of shared) each.stop()
    await until(async () => (await server.command('DBSIZE')) === 0)
  }, 60_000)

  test('with Redis out of memory nothing is handed over, and nothing else fails', async () => {
    const server = await servers.start('--maxmemory', '1', '--maxmemory-policy', 'noeviction')
    const items = await openOn(server)
    const pass = passing()
    const collected = new Collected()
    const shared = items.share(RUN, collected)
    collected.add(itemsOf({ n: 1 }))
    for (let n = 0; n < 3; n++) {
      pass(2000)
      shared.tick()
      await server.command('PING')
    }
    expect(await items.find(RUN)).toBeUndefined()
    expect(await server.command('DBSIZE')).toBe(0)
    shared.stop()
  })
})
