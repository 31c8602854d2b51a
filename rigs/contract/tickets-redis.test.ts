/** Tickets and sign-in links in Redis fulfil the contract, on one server and on a cluster. */
import { describe } from 'bun:test'
import { openRedisTickets } from '../../src/ephemeral/redis/tickets.ts'
import { openRedis } from '../../src/redis/connection.ts'
import { hasCluster, hasRedis, joined, redisServers, type TestRedis } from '../servers/redis.ts'
import { signInsContract } from './sign-in-links.ts'
import { ticketsContract } from './tickets.ts'

const servers = redisServers()

function contractOn(name: string, isThere: boolean, start: () => Promise<readonly TestRedis[]>): void {
  let started: Promise<readonly TestRedis[]> | undefined
  const open = async () => {
    started ??= start()
    const nodes = await started
    for (const node of nodes) await node.command('FLUSHALL')
    const redis = await openRedis(nodes[0]!.url)
    return { tickets: openRedisTickets(redis), close: () => redis.close() }
  }
  describe.skipIf(!isThere)('Redis', () => {
    ticketsContract(name, open)
    signInsContract(name, open)
  })
}

contractOn('one server', hasRedis, async () => [await servers.start()])
contractOn('a cluster of three', hasCluster, async () => {
  const nodes = await Promise.all([1, 2, 3].map(() => servers.start('--cluster-enabled', 'yes')))
  await joined(nodes)
  return nodes
})
