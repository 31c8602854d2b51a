/**
 * The browser proxy: it connects pages only to addresses that it resolved and found public, through the configured
 * proxy if there is one.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import {
  type AddressInfo,
  connect,
  createServer as createTcp,
  type Socket,
  type Server as TcpServer,
} from 'node:net'
import { until } from '../../rigs/servers/processes.ts'
import { BrowserProxy, type BrowserProxyOptions } from '../../src/net/connection/browser-proxy.ts'
import { hasIpv6 } from './servers.ts'

const requests: string[] = []
const server = createServer((request, response) => {
  requests.push(`${request.method} ${request.headers.host}${request.url}`)
  let body = ''
  request.on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    const answer = `got ${body}`
    // With a content length, since runtimes chunk a body without one differently.
    response.writeHead(200, { 'x-a': '1', 'content-length': answer.length }).end(answer)
  })
})
/** Request heads that the configured proxy received. */
const heads: string[] = []
const asProxy = (socket: Socket): void => {
  socket.on('error', () => {})
  socket.once('data', (chunk) => {
    const head = chunk.toString()
    heads.push(head)
    if (!head.startsWith('CONNECT'))
      return void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nproxied')
    if (head.includes('refused')) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const onward = connect(port(server), '127.0.0.1')
    onward.on('error', () => socket.destroy())
    socket.pipe(onward).pipe(socket)
  })
}
const proxy: TcpServer = createTcp(asProxy)
const proxyV6: TcpServer = createTcp(asProxy)
const port = (of: Server | TcpServer): number => (of.address() as AddressInfo).port
const opened: BrowserProxy[] = []

beforeAll(async () => {
  for (const each of [server, proxy]) await new Promise<void>((go) => each.listen(0, '127.0.0.1', go))
  if (hasIpv6) await new Promise<void>((go) => proxyV6.listen(0, '::1', go))
})
afterAll(() => {
  for (const browserProxy of opened) browserProxy.close()
  server.closeAllConnections()
  server.close()
  proxy.close()
  if (hasIpv6) proxyV6.close()
})

async function newBrowserProxy(options: Partial<BrowserProxyOptions> = {}): Promise<number> {
  const browserProxy = await BrowserProxy.start({
    allows: (host) => /^(www|refused)\.site\.example$|^localhost$/.test(host),
    proxyUrl: null,
    onTooMuch: () => {},
    dial: async () => connect(port(server), '127.0.0.1'),
    ...options,
  })
  opened.push(browserProxy)
  return Number(new URL(browserProxy.url).port)
}

/** Sends a text. @returns everything received until the connection ends */
function say(to: number, text: string, then?: string): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(to, '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => {
      if (received === '' && then) socket.write(then)
      received += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
  })
}
const get = (host: string, path = '/') => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
const tunnelTo = (host: string) => `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`

describe('the proxy of a browser context', () => {
  test('connects to an allowed host, by CONNECT and by plain HTTP', async () => {
    const browserProxy = await newBrowserProxy()
    expect(
      await say(browserProxy, tunnelTo('www.site.example:443'), get('www.site.example', '/a')),
    ).toContain('got ')
    expect(await say(browserProxy, get('www.site.example', 'http://www.site.example/b?c=1'))).toContain(
      'x-a: 1',
    )
    expect(requests).toEqual(['GET www.site.example/a', 'GET www.site.example/b?c=1'])
  })

  test('checks each request of a connection, and forwards bodies', async () => {
    const browserProxy = await newBrowserProxy()
    requests.length = 0
    const body = 'x'.repeat(100_000)
    const post = `POST http://www.site.example/p HTTP/1.1\r\nHost: www.site.example\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const evil = 'GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n'
    expect(await say(browserProxy, post, evil)).toContain(body)
    expect(requests).toEqual(['POST www.site.example/p'])
  })

  test.each([
    'evil.example:443',
    'www.site.example.evil.example:443',
    'www.site.example.:443',
    'www.site.example:8443',
    'www.site.example:22',
    '127.0.0.1:443',
    '[::1]:443',
    '2130706433:443',
    'user@evil.example:443',
    ':443',
    'www.site.example:443@evil.example:80',
  ])('refuses %s', async (host) => {
    const browserProxy = await newBrowserProxy()
    requests.length = 0
    expect(await say(browserProxy, tunnelTo(host), get('x'))).toStartWith('HTTP/1.1 4')
    expect(await say(browserProxy, get(host, `http://${host.replace(/:443$/, ':8080')}/`))).not.toContain(
      'x-a',
    )
    expect(requests).toEqual([])
  })

  test('refuses a name that resolves to this machine, and one that does not resolve', async () => {
    // The real DNS look-up: every system resolves localhost, and the test needs no other name.
    const own = await BrowserProxy.start({ allows: () => true, proxyUrl: null, onTooMuch: () => {} })
    opened.push(own)
    const browserProxy = Number(new URL(own.url).port)
    requests.length = 0
    for (const host of ['localhost', 'nobody-knows.invalid']) {
      expect(await say(browserProxy, tunnelTo(`${host}:443`))).toStartWith('HTTP/1.1 403')
      expect(await say(browserProxy, get(host, `http://${host}/`))).toBe('')
    }
    expect(requests).toEqual([])
  })

  test.each([
    '2130706433',
    '0x7f.1',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    'localhost',
    'rebound.example',
    'half.example',
  ])('connects to no internal address even if the host is allowed: %s', async (host) => {
    const answers: Record<string, string[]> = { 'half.example': ['8.8.8.8', '127.0.0.1'] }
    const own = await BrowserProxy.start({
      allows: () => true,
      proxyUrl: null,
      onTooMuch: () => {},
      resolve: async (name) => (answers[name] ?? ['127.0.0.1']).map((address) => ({ address, family: 4 })),
    })
    opened.push(own)
    const browserProxy = Number(new URL(own.url).port)
    requests.length = 0
    expect(await say(browserProxy, tunnelTo(`${host}:443`))).toStartWith('HTTP/1.1 403')
    expect(await say(browserProxy, get(host, `http://${host}/`))).toBe('')
    expect(requests).toEqual([])
  })

  test.skipIf(!hasIpv6)('uses a configured proxy at an IPv6 address', async () => {
    const browserProxy = await newBrowserProxy({ proxyUrl: `http://[::1]:${port(proxyV6)}` })
    heads.length = 0
    expect(await say(browserProxy, get('www.site.example', 'http://www.site.example/p'))).toContain('proxied')
    expect(
      await say(browserProxy, tunnelTo('www.site.example:443'), get('www.site.example', '/t')),
    ).toContain('got ')
    expect(heads).toHaveLength(2)
  })

  test.each(['CONNECT', 'GET'])('knows until when a %s waits for its exit', async (method) => {
    const held: Socket[] = []
    const silent = createTcp((socket) => void held.push(socket.on('error', () => {})))
    await new Promise<void>((go) => silent.listen(0, '127.0.0.1', go))
    const own = await BrowserProxy.start({
      allows: () => true,
      proxyUrl: `${method === 'GET' ? 'socks5' : 'http'}://127.0.0.1:${port(silent)}`,
      onTooMuch: () => {},
    })
    opened.push(own)
    expect(own.isExitSilent).toBe(false)
    const url = method === 'GET' ? 'http://www.site.example/' : 'www.site.example:443'
    void say(Number(new URL(own.url).port), `${method} ${url} HTTP/1.1\r\nHost: www.site.example\r\n\r\n`)
    await until(() => held.length === 1)
    expect(own.isExitSilent).toBe(true)
    if (method === 'GET') {
      held[0]!.write(Buffer.from([5, 0]))
      held[0]!.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
    } else held[0]!.write('HTTP/1.1 200 OK\r\n\r\n')
    // The site is as silent, and that is not the exit's.
    await until(() => !own.isExitSilent)
    held[0]!.destroy()
    silent.close()
  })

  test('uses the configured proxy with its credentials, and passes it unresolved host names', async () => {
    const proxyUrl = `http://user:p%40ss@127.0.0.1:${port(proxy)}`
    const browserProxy = await newBrowserProxy({
      proxyUrl,
      dial: () => Promise.reject(new Error('not looked up')),
    })
    heads.length = 0
    expect(
      await say(browserProxy, tunnelTo('www.site.example:443'), get('www.site.example', '/t')),
    ).toContain('got ')
    expect(await say(browserProxy, get('www.site.example', 'http://www.site.example/p'))).toContain('proxied')
    expect(await say(browserProxy, tunnelTo('refused.site.example:443'))).toStartWith('HTTP/1.1 403')
    expect(await say(browserProxy, tunnelTo('evil.example:443'))).toStartWith('HTTP/1.1 403')
    const credentials = `Basic ${Buffer.from('user:p@ss').toString('base64')}`
    expect(heads.map((head) => head.split('\r\n')[0])).toEqual([
      'CONNECT www.site.example:443 HTTP/1.1',
      'GET http://www.site.example/p HTTP/1.1',
      'CONNECT refused.site.example:443 HTTP/1.1',
    ])
    for (const head of heads)
      expect(head.toLowerCase()).toContain(`proxy-authorization: ${credentials.toLowerCase()}`)
  })

  test('ends open connections when it is closed', async () => {
    const browserProxy = await BrowserProxy.start({
      allows: () => true,
      proxyUrl: null,
      onTooMuch: () => {},
      dial: async () => connect(port(server), '127.0.0.1'),
    })
    const open = say(
      Number(new URL(browserProxy.url).port),
      tunnelTo('www.site.example:443'),
      'GET / HTTP/1.1\r\n',
    )
    browserProxy.close()
    await open
  })
})
