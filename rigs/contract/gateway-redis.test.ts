/** The gateway between several processes fulfils the contract, over one Redis server and over a cluster. */
import { fakeBrowser } from '../../test/signin/remote/fake-browser.ts'
import { aKey, gatewayAt, hostAt } from '../../test/signin/remote/relay-nodes.ts'
import { gatewayContract } from './gateway.ts'
import { onRedis } from './on-redis.ts'

onRedis((name, emptied) =>
  gatewayContract(`two gateways and two hosts on ${name}`, async (more = {}) => {
    const url = await emptied()
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
