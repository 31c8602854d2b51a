/** Ten real processes keep the pace of one host together, on a real Redis. */
import { afterAll, describe, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { endAll, type Running, start, until } from '../../servers/processes.ts'
import { hasRedis, redisServers } from '../../servers/redis.ts'

const NODES = 10
const PER_SECOND = 20
const CONCURRENT = 4
/** Shorter than in the service, so that the dead are noticed sooner. */
const BEAT_MS = 1000
const NODE = new URL('./node.ts', import.meta.url).pathname

const redis = redisServers()
const sites: Server[] = []
afterAll(async () => {
  await endAll()
  for (const site of sites) {
    site.close()
    site.closeAllConnections()
  }
})

/** Starts a site and ten nodes that ask it as often as they may, and waits until they know each other. */
async function stage(answersAfterMs: number) {
  const server = await redis.start()
  const arrivals: { readonly at: number; readonly node: string }[] = []
  const most = { now: 0, ever: 0 }
  const site = createServer((request, response) => {
    arrivals.push({ at: performance.now(), node: request.url!.slice(1) })
    most.ever = Math.max(most.ever, ++most.now)
    setTimeout(() => {
      most.now--
      response.end('lamp')
    }, answersAfterMs)
  })
  sites.push(site)
  await new Promise<void>((go) => site.listen(0, '127.0.0.1', go))
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  const startNode = (name: number) => {
    const args = [server.url, origin, PER_SECOND, CONCURRENT, BEAT_MS, name].map(String)
    return start(process.execPath, [NODE, ...args])
  }
  const nodes: Running[] = Array.from({ length: NODES }, (_, i) => startNode(i))
  /** Waits until these are the last words of each node: it says what has changed. */
  const allSay = (words: string) =>
    Promise.all(nodes.map((node) => node.says(new RegExp(`(?:^|\\n)${words}\\n$`))))
  await allSay(`with ${NODES}`)
  /** Resolves with the first of the next so many requests, and the one after them. */
  const next = async (requests: number) => {
    const first = arrivals.length
    await until(() => arrivals.length > first + requests)
    return [arrivals[first]!, arrivals[first + requests]!] as const
  }
  /**
   * A machine that stands still for a moment makes one look slow, and not the three in a row. No look is ever too fast:
   * of the requests that arrive late, each node has one at most.
   */
  const keepsPace = async (requests: number) => {
    const rates: number[] = []
    const isPace = (rate: number) => rate > PER_SECOND * 0.9 && rate < PER_SECOND * 1.1
    while (rates.length < 3 && !rates.some(isPace)) {
      const [first, last] = await next(requests)
      const seconds = (last.at - first.at) / 1000
      rates.push(requests / seconds)
      expect((requests - NODES) / seconds).toBeLessThanOrEqual(PER_SECOND)
    }
    expect({ rates, is: rates.some(isPace) }).toMatchObject({ is: true })
  }
  return { server, nodes, allSay, arrivals, most, next, keepsPace }
}

describe.skipIf(!hasRedis)('ten processes', () => {
  test.concurrent('keep the pace of a host within 10 %, and the number at once, each with its turns', async () => {
    const { arrivals, most, next, keepsPace } = await stage(30)
    // One burst may come first.
    await next(2 * PER_SECOND)
    const first = arrivals.length
    await keepsPace(8 * PER_SECOND)
    expect(most.ever).toBeLessThanOrEqual(CONCURRENT)
    const shares = Map.groupBy(arrivals.slice(first), ({ node }) => node)
    expect(shares.size).toBe(NODES)
    const fewest = Math.min(...[...shares.values()].map(({ length }) => length))
    expect(fewest).toBeGreaterThan((arrivals.length - first) / NODES / 4)
  }, 120_000)

  test.concurrent('keep it by shares while Redis is frozen, after that, when some are killed, and when Redis is emptied', async () => {
    const { server, nodes, allSay, next, keepsPace } = await stage(0)
    server.freeze()
    await allSay('alone')
    // One burst may come first, as after every change below.
    await next(2 * PER_SECOND)
    await keepsPace(3 * PER_SECOND)

    server.thaw()
    await allSay(`with ${NODES}`)
    await next(2 * PER_SECOND)
    await keepsPace(3 * PER_SECOND)

    for (const { child } of nodes.slice(0, 5)) child.kill('SIGKILL')
    // What the dead had under way counts until they are noticed.
    await until(async () => (await server.command('ZCARD', 'gleaner:nodes')) === 5)
    await keepsPace(3 * PER_SECOND)

    await server.command('FLUSHALL')
    await next(2 * PER_SECOND)
    await keepsPace(3 * PER_SECOND)
  }, 120_000)
})
