/**
 * Runs the contract of a port on real Redis servers.
 *
 * @module
 */
import { describe } from 'bun:test'
import { hasCluster, hasRedis, joined, redisServers, type TestRedis } from '../servers/redis.ts'

/**
 * Runs a contract on one server and on a cluster of three. Call it at the top of a test file.
 *
 * @param contract declares its tests below a name; `emptied` deletes all data and returns the URL of a server
 */
export function onRedis(contract: (name: string, emptied: () => Promise<string>) => void): void {
  const servers = redisServers()
  const on = (name: string, isThere: boolean, start: () => Promise<readonly TestRedis[]>) => {
    let started: Promise<readonly TestRedis[]> | undefined
    const emptied = async () => {
      started ??= start()
      const nodes = await started
      for (const node of nodes) await node.command('FLUSHALL')
      return nodes[0]!.url
    }
    describe.skipIf(!isThere)('Redis', () => contract(name, emptied))
  }
  on('one server', hasRedis, async () => [await servers.start()])
  on('a cluster of three', hasCluster, async () => {
    const nodes = await Promise.all([1, 2, 3].map(() => servers.start('--cluster-enabled', 'yes')))
    await joined(nodes)
    return nodes
  })
}
