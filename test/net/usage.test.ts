/**
 * The bytes of requests, as a relay before the site or the proxy sees them, and the connections of many exits.
 *
 * @module
 */
import { afterAll, describe, expect, test } from 'bun:test'
import { until } from '../../rigs/servers/processes.ts'
import { network, poolCount } from '../../src/net/connection/network.ts'
import { networkTransport } from '../../src/net/connection/network-transport.ts'
import { local } from './certificate.ts'
import { ownProxy, refusing, saying } from './own-proxy.ts'
import { relayTo } from './relay.ts'
import { bytesOf, closeAll, serve } from './servers.ts'

afterAll(closeAll)

const PAGE = 200_000
const sized = (scheme: string) =>
  serve(
    scheme,
    (request, response) => {
      request.resume()
      request.on('end', () => response.end('x'.repeat(request.url?.endsWith('/page') ? PAGE : 10)))
    },
    { ...(scheme === 'https' && { tls: local }) },
  )

describe.each(['http', 'https'])('with %s', (scheme) => {
  test.each([
    ['directly', ''],
    ['through a proxy', 'http'],
    ['through a proxy with TLS', 'https'],
  ])('%s, the bytes of each request are those on the wire, sent and received', async (_, by) => {
    const site = await sized(scheme)
    const proxy = await ownProxy(site.port, undefined, by === 'https' ? { tls: local } : {})
    const relay = await relayTo(by === '' ? site.port : proxy.port)
    const proxyUrl = by === '' ? null : `${by}://user:word@localhost:${relay.port}`
    const port = by === '' ? relay.port : site.port
    let bytes = 0
    const client = networkTransport({ proxyUrl, ca: local.cert, allowsAddress: () => true }, (more) => {
      bytes += more
    })
    const send = async (path: string, body?: string): Promise<[counted: number, onWire: number]> => {
      const before = relay.bytes()
      bytes = 0
      const post = body === undefined ? {} : { method: 'POST', body }
      await bytesOf(await client(new Request(`${scheme}://localhost:${port}${path}`, post)))
      return [bytes, relay.bytes() - before]
    }
    // On one connection: the first request also pays for opening it.
    for (const [path, body] of [['/small'], ['/page'], ['/small', 'x'.repeat(PAGE)], ['/small']] as const) {
      const [counted, onWire] = await send(path, body)
      // Each TLS record has 22 bytes more, which no runtime counts, and handshakes differ by some bytes.
      const hasTls = scheme === 'https' || by === 'https'
      expect(Math.abs(counted - onWire)).toBeLessThan(hasTls ? 100 + onWire / 500 : 1)
    }
  })
})

test('a request that its proxy refuses counts too, and one whose body is dropped', async () => {
  let bytes = 0
  const add = (more: number) => {
    bytes += more
  }
  const refused = await ownProxy(1, refusing('407 Proxy Authentication Required'))
  const options = { proxyUrl: `http://127.0.0.1:${refused.port}` }
  await networkTransport(options, add)(new Request('https://localhost/')).catch(() => {})
  expect(bytes).toBe(refused.bytes())
  bytes = 0
  const site = await sized('http')
  const direct = networkTransport({ proxyUrl: null, allowsAddress: () => true }, add)
  const { body } = await direct(new Request(`http://127.0.0.1:${site.port}/page`))
  await body!.cancel()
  expect(bytes).toBeGreaterThan(100)
})

test('bytes of requests at the same time are charged to each', async () => {
  const site = await sized('https')
  const options = { proxyUrl: null, ca: local.cert, allowsAddress: () => true }
  const counts = [0, 0, 0, 0]
  const paths = ['/page', '/small', '/page', '/small']
  const clients = paths.map((_, i) =>
    networkTransport(options, (bytes) => {
      counts[i]! += bytes
    }),
  )
  await Promise.all(
    paths.map(async (path, i) =>
      bytesOf(await clients[i]!(new Request(`https://127.0.0.1:${site.port}${path}`))),
    ),
  )
  expect(counts.map((bytes) => bytes > PAGE)).toEqual([true, false, true, false])
})

describe('500 sessions of a gateway', () => {
  const sessions = Array.from({ length: 500 }, (_, i) => i)

  test('each have connections of their own, and few stay behind', async () => {
    const proxy = await ownProxy(1, (socket, head) => {
      const user = Buffer.from(/basic (\S+)/i.exec(head)![1]!, 'base64').toString()
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${user.length}\r\n\r\n${user}`)
    })
    const users: string[] = []
    for (const i of sessions) {
      const client = network(false, { url: `http://run-${i}:word@127.0.0.1:${proxy.port}` })
      users.push((await bytesOf(await client(new Request('http://site.example/')))).toString())
    }
    expect(users).toEqual(sessions.map((i) => `run-${i}:word`))
    expect(proxy.connections()).toBe(500)
    expect(poolCount()).toBeLessThanOrEqual(64)
    await until(() => proxy.open() <= 64)
  }, 30_000)

  test.each(['http', 'https'])('that are refused by %s leave no exchange under way', async (scheme) => {
    const proxy = await ownProxy(1, refusing('407 Proxy Authentication Required'))
    for (let i = 0; i < 100; i++) {
      const client = network(false, { url: `http://refused-${i}:word@127.0.0.1:${proxy.port}` })
      await client(new Request(`${scheme}://site.example/`)).catch(() => {})
    }
    // Pools with an exchange would be kept.
    await until(() => poolCount() <= 64)
  })

  test('at the same time all get their answers, though their pools are more than are kept', async () => {
    const proxy = await ownProxy(1, saying('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'))
    const answers = await Promise.all(
      sessions.map(async (i) => {
        const client = network(false, { url: `http://at-once-${i}:word@127.0.0.1:${proxy.port}` })
        return (await bytesOf(await client(new Request('http://site.example/')))).toString()
      }),
    )
    expect(answers).toEqual(sessions.map(() => 'ok'))
    await until(() => poolCount() <= 64)
  }, 30_000)
})
