/** The gateway between several processes fulfils the contract, over one Redis server and over a cluster. */
import { describe } from 'bun:test'
import { fakeBrowser } from '../../test/signin/remote/fake-browser.ts'
import { aKey, gatewayAt, hostAt } from '../../test/signin/remote/relay-nodes.ts'
import { hasCluster, hasRedis, joined, redisServers, type TestRedis } from '../servers/redis.ts'
import { gatewayContract } from './gateway.ts'

const servers = redisServers()

function contractOn(name: string, isThere: boolean, start: () => Promise<readonly TestRedis[]>): void {
  let started: Promise<readonly TestRedis[]> | undefined
  describe.skipIf(!isThere)('Redis', () =>
    gatewayContract(name, async (more = {}) => {
      started ??= start()
      const nodes = await started
      for (const node of nodes) await node.command('FLUSHALL')
      const { url } = nodes[0]!
      const keys = { vaultKey: aKey() }
      const { browser, pages } = fakeBrowser()
      const [one, two] = await Promise.all([gatewayAt(url, keys), gatewayAt(url, keys)])
      const hosts = await Promise.all([1, 2].map(() => hostAt(url, keys, { browser, room: 1, more })))
      return {
        gateway: one.gateway,
        other: two.gateway,
        pages,
        signInLinks: one.signInLinks,
        async close() {
          await Promise.all([...hosts, one, two].map((each) => each.close()))
        },
      }
    }),
  )
}

contractOn('two gateways and two hosts on one server', hasRedis, async () => [await servers.start()])
contractOn('two gateways and two hosts on a cluster of three', hasCluster, async () => {
  const nodes = await Promise.all([1, 2, 3].map(() => servers.start('--cluster-enabled', 'yes')))
  await joined(nodes)
  return nodes
})
