/** A server that became a replica refuses writes. Its clients look for the master again. */
import { expect, test } from 'bun:test'
import { hasRedis, redisServers } from '../../rigs/servers/redis.ts'
import { openRedis } from '../../src/redis/connection.ts'

const servers = redisServers()

test.skipIf(!hasRedis)(
  'a server that refuses many calls at once is left once, and used again when it is the master',
  async () => {
    const [server, master] = [await servers.start(), await servers.start()]
    const warnings: unknown[] = []
    const warned = (warning: unknown) => warnings.push(warning)
    process.on('warning', warned)
    const redis = await openRedis(server.url, { onFailure: () => {} })
    const write = () => redis.ask((client) => client.hdel('a', 'b'))
    await write()
    await server.command('REPLICAOF', '127.0.0.1', master.port)
    const calls = Array.from({ length: 50 }, write)
    const refused = await Promise.allSettled(calls)
    expect(refused.every(({ status }) => status === 'rejected')).toBe(true)
    await server.command('REPLICAOF', 'NO', 'ONE')
    while ((await write().catch(() => undefined)) === undefined) await new Promise((go) => setTimeout(go, 5))
    expect(warnings).toEqual([])
    process.off('warning', warned)
    await redis.close()
  },
)
