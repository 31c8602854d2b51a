/** Ten real processes keep the pace of one host together, on a real Redis. */
import { afterEach, describe, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { endAll, type Running, start, until } from '../../servers/processes.ts'
import { hasRedis, redisServers, type TestRedis } from '../../servers/redis.ts'

const NODES = 10
const PER_SECOND = 20
const CONCURRENT = 4
const NODE = new URL('./node.ts', import.meta.url).pathname

const redis = redisServers()
let site: Server | undefined
afterEach(async () => {
  await endAll()
  site?.close()
  site?.closeAllConnections()
})

/** Starts a site and ten nodes that ask it as often as they may. */
async function stage(answersAfterMs: number) {
  const server = await redis.start()
  const arrivals: { readonly at: number; readonly node: string }[] = []
  const most = { now: 0, ever: 0 }
  site = createServer((request, response) => {
    arrivals.push({ at: performance.now(), node: request.url!.slice(1) })
    most.ever = Math.max(most.ever, ++most.now)
    setTimeout(() => {
      most.now--
      response.end('lamp')
    }, answersAfterMs)
  })
  await new Promise<void>((go) => site!.listen(0, '127.0.0.1', go))
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  const startNode = (name: number) =>
    start(process.execPath, [NODE, server.url, origin, `${PER_SECOND}`, `${CONCURRENT}`, `${name}`])
  const nodes: Running[] = Array.from({ length: NODES }, (_, i) => startNode(i))
  await Promise.all(nodes.map((node) => node.says(/ready/)))
  await until(async () => (await server.command('ZCARD', 'gleaner:nodes')) === NODES)
  /** Requests a second over the next so many requests, from first to last. */
  const rate = async (requests: number) => {
    const first = arrivals.length
    await until(() => arrivals.length > first + requests)
    return (requests / (arrivals[first + requests]!.at - arrivals[first]!.at)) * 1000
  }
  return { server, nodes, arrivals, most, rate }
}

const isPace = (rate: number) => {
  expect(rate).toBeGreaterThan(PER_SECOND * 0.9)
  expect(rate).toBeLessThan(PER_SECOND * 1.1)
}
/** Stops the server as an outage does, and waits until the nodes have noticed. */
async function outage(server: TestRedis): Promise<void> {
  server.freeze()
  await new Promise((go) => setTimeout(go, 3000))
}

describe.skipIf(!hasRedis)('ten processes', () => {
  test('keep the pace of a host within 10 %, and the number at once, each with its turns', async () => {
    const { arrivals, most, rate } = await stage(30)
    await rate(2 * PER_SECOND)
    const first = arrivals.length
    const requests = 8 * PER_SECOND
    isPace(await rate(requests))
    expect(most.ever).toBeLessThanOrEqual(CONCURRENT)
    const shares = Map.groupBy(arrivals.slice(first), ({ node }) => node)
    expect(shares.size).toBe(NODES)
    const fewest = Math.min(...[...shares.values()].map(({ length }) => length))
    expect(fewest).toBeGreaterThan(requests / NODES / 4)
  }, 120_000)

  test('keep it by shares while Redis is frozen, after that, when some are killed, and when Redis is emptied', async () => {
    const { server, nodes, rate } = await stage(0)
    // Each node has heard of the others by then: a heartbeat comes every 5 seconds.
    await rate(7 * PER_SECOND)
    await outage(server)
    isPace(await rate(4 * PER_SECOND))

    server.thaw()
    await rate(2 * PER_SECOND)
    isPace(await rate(4 * PER_SECOND))

    for (const { child } of nodes.slice(0, 5)) child.kill('SIGKILL')
    // What the dead had under way counts for 15 seconds.
    await until(async () => (await server.command('ZCARD', 'gleaner:nodes')) === 5)
    isPace(await rate(4 * PER_SECOND))

    await server.command('FLUSHALL')
    await rate(2 * PER_SECOND)
    isPace(await rate(4 * PER_SECOND))
  }, 120_000)
})
