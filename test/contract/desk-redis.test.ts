/** A desk for the people of several processes keeps the contract, over one Redis server and over a cluster. */
import { describe } from 'bun:test'
import { fakeBrowser } from '../login/remote/fake-browser.ts'
import { aKey, deskAt, postAt } from '../login/remote/relay-nodes.ts'
import { hasCluster, hasRedis, joined, redisServers, type TestRedis } from '../support/redis.ts'
import { deskContract } from './desk.ts'

const servers = redisServers()

function contractOn(name: string, isThere: boolean, start: () => Promise<readonly TestRedis[]>): void {
  let started: Promise<readonly TestRedis[]> | undefined
  describe.skipIf(!isThere)('Redis', () =>
    deskContract(name, async (more = {}) => {
      started ??= start()
      const nodes = await started
      for (const node of nodes) await node.command('FLUSHALL')
      const { url } = nodes[0]!
      const keys = { vaultKey: aKey() }
      const { browser, pages } = fakeBrowser()
      const [one, two] = await Promise.all([deskAt(url, keys), deskAt(url, keys)])
      const posts = await Promise.all([1, 2].map(() => postAt(url, keys, { browser, room: 1, more })))
      return {
        desk: one.desk,
        other: two.desk,
        pages,
        signIns: one.signIns,
        async close() {
          await Promise.all([...posts, one, two].map((each) => each.close()))
        },
      }
    }),
  )
}

contractOn('two desks and two posts on one server', hasRedis, async () => [await servers.start()])
contractOn('two desks and two posts on a cluster of three', hasCluster, async () => {
  const nodes = await Promise.all([1, 2, 3].map(() => servers.start('--cluster-enabled', 'yes')))
  await joined(nodes)
  return nodes
})
