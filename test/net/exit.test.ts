/**
 * Requests through an exit, over http, https and socks5: they arrive, without a lookup of names here, and a proxy that
 * fails is told apart from a site that does, in words without its address, user or password.
 *
 * @module
 */
import { afterAll, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { inspect } from 'node:util'
import { hasMicrosocks, hasTinyproxy, PROXY_USER, proxyServers } from '../../rigs/servers/proxies.ts'
import { type ConnectionOptions, Connections } from '../../src/net/connection/connections.ts'
import { networkTransport } from '../../src/net/connection/network-transport.ts'
import { ExitFailed, ExitUnreachable, type Transport } from '../../src/net/transport/transport.ts'
import { defineSource } from '../../src/plugin.ts'
import { cert, key, local } from './certificate.ts'
import { type Manner, ownProxy, refusing, saying, socksReplying, tunnelOrForward } from './own-proxy.ts'
import { bytesOf, closeAll, codeOf, hasIpv6, serve, serveRaw, startLamps } from './servers.ts'

afterAll(closeAll)
const proxies = proxyServers()
const { newClient } = startLamps()

const SECRETS = /-marker/
const through = (proxyUrl: string, options: Partial<ConnectionOptions> = {}): Transport =>
  networkTransport({
    proxyUrl,
    ca: local.cert,
    resolve: () => Promise.reject(new Error('looked up')),
    ...options,
  })
const ask = (client: Transport, url: string) =>
  client(new Request(url, { signal: AbortSignal.timeout(20_000) }))
const textOf = async (client: Transport, url: string) => (await bytesOf(await ask(client, url))).toString()

/** The error of a request, after a look that it says nothing of the proxy. */
async function failureOf(client: Transport, url: string): Promise<Error> {
  const error = await textOf(client, url).then(
    (text) => new Error(`it did not fail: ${text}`),
    (thrown: Error) => thrown,
  )
  expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(SECRETS)
  return error
}

/** A site on localhost: real proxies resolve the name themselves. */
const site = (scheme: string, address?: string) =>
  serve(scheme, (request, response) => response.end(`got ${request.url}`), {
    ...(address !== undefined && { address }),
    ...(scheme === 'https' && { tls: local }),
  })

describe.each([
  ['tinyproxy', hasTinyproxy],
  ['microsocks', hasMicrosocks],
] as const)('through %s with a password', (program, isInstalled) => {
  test.skipIf(!isInstalled).each(['http', 'https'])(
    '%s requests arrive, on one connection',
    async (scheme) => {
      const proxy = await proxies[program]()
      const server = await site(scheme)
      const client = through(proxy.url)
      for (const path of ['/a?b=c', '/d'])
        expect(await textOf(client, `${scheme}://localhost:${server.port}${path}`)).toBe(`got ${path}`)
      expect(server.requests.map(({ headers }) => headers.host)).toEqual(
        Array(2).fill(`localhost:${server.port}`),
      )
      // tinyproxy closes the connection of an unencrypted request after its answer.
      if (scheme === 'https') expect(server.connections()).toBe(1)
    },
  )

  test.skipIf(!isInstalled || !hasIpv6)('a host that is an IPv6 address is reached', async () => {
    const proxy = await proxies[program]()
    const server = await site('https', '::1')
    expect(await textOf(through(proxy.url), `https://[::1]:${server.port}/`)).toBe('got /')
  })

  test.skipIf(!isInstalled)('a wrong password fails as the exit', async () => {
    const proxy = await proxies[program]()
    const server = await site('https')
    const failure = await failureOf(through(proxy.wrongUrl), `https://localhost:${server.port}/`)
    expect(failure).toBeInstanceOf(ExitFailed)
    expect(failure).toMatchObject({ where: 'everywhere' })
    expect(server.requests).toEqual([])
  })

  test.skipIf(!isInstalled)('the certificate of the site is checked against its host', async () => {
    const proxy = await proxies[program]()
    const server = await serve('https', (_, response) => response.end())
    const failure = await failureOf(through(proxy.url), `https://localhost:${server.port}/`)
    expect(failure).not.toBeInstanceOf(ExitFailed)
    expect(server.requests).toEqual([])
  })

  test.skipIf(!isInstalled)('that has ended, a request fails as the exit', async () => {
    const proxy = await proxies[program]()
    await proxy.stop()
    const failure = (await failureOf(through(proxy.url), 'https://localhost/')) as ExitFailed
    expect(failure).toBeInstanceOf(ExitFailed)
    expect([failure.reason, failure.where]).toEqual(['it refuses connections', 'everywhere'])
  })
})

test.each(['tunnel', 'request'])('a %s to an IPv6 address is asked for in brackets', async (kind) => {
  const server = await site('https')
  const proxy = await ownProxy(server.port)
  const proxyUrl = `http://127.0.0.1:${proxy.port}`
  if (kind === 'tunnel') (await new Connections({ proxyUrl }).open('[2001:db8::1]', 443)).destroy()
  else await failureOf(through(proxyUrl), 'https://[2001:db8::1]/')
  const [line, host] = proxy.heads[0]!.toLowerCase().split('\r\n')
  expect([line, host]).toEqual(['connect [2001:db8::1]:443 http/1.1', 'host: [2001:db8::1]:443'])
})

describe('through a proxy with TLS', () => {
  test.each(['http', 'https'])('%s requests arrive with the credentials', async (scheme) => {
    const server = await site(scheme)
    const proxy = await ownProxy(server.port, tunnelOrForward, { tls: local })
    const client = through(`https://${PROXY_USER}:p%40ss-marker@localhost:${proxy.port}`)
    for (let i = 0; i < 2; i++)
      expect(await textOf(client, `${scheme}://localhost:${server.port}/x`)).toContain('/x')
    const credentials = Buffer.from(`${PROXY_USER}:p@ss-marker`).toString('base64')
    expect(proxy.heads[0]?.toLowerCase()).toContain(`proxy-authorization: basic ${credentials}`.toLowerCase())
    expect(proxy.connections()).toBe(1)
  })

  test.each(['http', 'https'])('whose certificate is wrong, a request with %s says so', async (scheme) => {
    const server = await site(scheme)
    const proxy = await ownProxy(server.port, tunnelOrForward, { tls: { cert, key } })
    const failure = await failureOf(
      through(`https://${PROXY_USER}:x-marker@localhost:${proxy.port}`),
      `${scheme}://localhost:${server.port}/`,
    )
    expect(failure).toBeInstanceOf(ExitFailed)
    expect((failure as ExitFailed).reason).toBe('its certificate is not valid')
    expect(proxy.heads).toEqual([])
  })
})

describe('a proxy that', () => {
  const silent: Manner = () => {}
  test.each<[string, Manner, string, ExitFailed['where']]>([
    [
      'wants other credentials',
      refusing('407 Proxy Authentication Required'),
      '407 to CONNECT',
      'everywhere',
    ],
    ['forbids the host', refusing('403 Forbidden'), '403 to CONNECT', 'here'],
    ['takes it for wrong', refusing('400 Bad Request'), '400 to CONNECT', 'here'],
    ['fails', refusing('500 Unable to connect'), '500 to CONNECT', 'here'],
    ['has no way to the host', refusing('502 Bad Gateway'), '502 to CONNECT', 'here'],
    ['is busy', refusing('503 Service Unavailable'), '503 to CONNECT', 'here'],
    ['waits for the host', refusing('504 Gateway Timeout'), '504 to CONNECT', 'here'],
    ['hangs in CONNECT', silent, 'it did not answer in time', 'here'],
    ['closes the connection', (socket) => void socket.end(), 'it closed the connection', 'everywhere'],
    ['breaks the connection', (socket) => void socket.destroy(), 'it closed the connection', 'everywhere'],
    [
      'speaks another protocol',
      saying('220 mail.example ESMTP\r\n\r\n'),
      'it does not speak HTTP',
      'everywhere',
    ],
    [
      'answers without end',
      saying('HTTP/1.1 200 OK\r\nX: '.padEnd(100_000, 'x')),
      'its answer to CONNECT is too long',
      'everywhere',
    ],
  ])('%s fails as the exit', async (_, manner, reason, where) => {
    const server = await site('https')
    const proxy = await ownProxy(server.port, manner)
    const client = through(`http://u-marker:x-marker@127.0.0.1:${proxy.port}`, {
      ...(manner === silent && { tunnelMs: 100 }),
    })
    const failure = (await failureOf(client, 'https://localhost/')) as ExitFailed
    expect(failure).toBeInstanceOf(ExitFailed)
    expect([failure.reason, failure.where]).toEqual([reason, where])
    expect(server.requests).toEqual([])
  })

  test('answers CONNECT with another 2xx than 200 has connected', async () => {
    const server = await site('https')
    const proxy = await ownProxy(server.port, (_socket, _head, join) => void join(true, '201 Created'))
    expect(await textOf(through(`http://127.0.0.1:${proxy.port}`), 'https://localhost/a')).toBe('got /a')
  })

  test('does not answer TLS in time fails as the exit, for all sites', async () => {
    const port = await serveRaw(() => {})
    const failure = await failureOf(
      through(`https://127.0.0.1:${port}`, { connectMs: 100 }),
      'https://localhost/',
    )
    expect(failure).toBeInstanceOf(ExitFailed)
    expect(failure).toMatchObject({ reason: 'it did not answer in time', where: 'everywhere' })
  })

  test('says that it wants other credentials in answer to an unencrypted request fails as the exit', async () => {
    const proxy = await ownProxy(1, refusing('407 Proxy Authentication Required'))
    const client = through(`http://u-marker:x-marker@127.0.0.1:${proxy.port}`)
    const failure = await failureOf(client, 'http://localhost/')
    expect(failure).toBeInstanceOf(ExitFailed)
    expect(failure).toMatchObject({ where: 'everywhere' })
  })

  test.each([1, 2, 7, 8, 91])('answers SOCKS with reply %i fails as the exit', async (reply) => {
    const client = through(`socks5://127.0.0.1:${await socksReplying(reply)}`)
    const failure = await failureOf(client, 'https://localhost/')
    expect(failure).toBeInstanceOf(ExitFailed)
    expect(failure).toMatchObject({ reason: `SOCKS reply ${reply}`, where: 'here' })
  })

  test.each([3, 4, 5, 6])(
    'answers SOCKS with reply %i says that the host cannot be reached',
    async (reply) => {
      const client = through(`socks5://127.0.0.1:${await socksReplying(reply)}`)
      const failure = await failureOf(client, 'https://localhost/')
      expect(failure).not.toBeInstanceOf(ExitFailed)
      expect(failure.message).toBe(`the host cannot be reached: SOCKS reply ${reply}`)
    },
  )

  test.each(['http', 'socks5'])('is slow, and answers %s byte by byte, is waited for', async (protocol) => {
    const server = await site('https')
    const port = await serveRaw((socket) => {
      socket.setNoDelay()
      const say = async (bytes: Buffer) => {
        for (const byte of bytes) {
          socket.write(Buffer.from([byte]))
          // The client reads each byte on its own.
          await new Promise((go) => setImmediate(go))
        }
      }
      const answers =
        protocol === 'http'
          ? [Buffer.from('HTTP/1.1 200 Connection established\r\nX-Name: value\r\n\r\n')]
          : [Buffer.from([5, 0]), Buffer.from([5, 0, 0, 3, 4, 97, 98, 99, 100, 0, 80])]
      socket.on('data', async function hear() {
        const answer = answers.shift()!
        if (answers.length === 0) socket.off('data', hear).pause()
        await say(answer)
        if (answers.length > 0) return
        const onward = connect(server.port, '127.0.0.1')
        onward.on('error', () => {})
        socket.pipe(onward).pipe(socket)
      })
    })
    expect(await textOf(through(`${protocol}://127.0.0.1:${port}`), 'https://localhost/')).toBe('got /')
  })

  describe.each([
    ['before it answers CONNECT', 'https', false],
    ['before it answers TLS', 'http', false],
    ['while the site is silent to TLS', 'https', true],
    ['while the site is silent to a request', 'http', true],
  ])('gets a request that ends %s', (_, scheme, isJoined) => {
    /** A request that ends once the silent server has heard of it. */
    async function ended(reason: unknown): Promise<unknown> {
      const abort = new AbortController()
      const end = () => abort.abort(reason)
      const port = await serveRaw((socket) => void socket.once('data', end))
      const proxy = isJoined ? await ownProxy(port) : { port }
      const by = isJoined || scheme === 'https' ? 'http' : 'https'
      const client = through(`${by}://127.0.0.1:${proxy.port}`)
      return client(new Request(`${scheme}://localhost/`, { signal: abort.signal })).catch((error) => error)
    }

    test('because its time is up: only the exit that has not answered is late', async () => {
      const reason = new DOMException('The time is up.', 'TimeoutError')
      const error = await ended(reason)
      if (isJoined) expect(error).toBe(reason)
      else
        expect(error).toMatchObject({
          name: 'ExitFailed',
          reason: 'it did not answer in time',
          where: 'here',
        })
    })

    test('because it is stopped: the exit is not late', async () => {
      const reason = new Error('stopped')
      expect(await ended(reason)).toBe(reason)
    })
  })
})

describe('a run', () => {
  const plain = defineSource({ name: 'local', title: 'L', origin: 'http://localhost', tasks: [] })
  const secure = defineSource({ ...plain, origin: 'https://localhost' })

  test('whose exit fails ends as source-unavailable, after its tries, and says what happened', async () => {
    const proxy = await ownProxy(1, refusing('502 Bad Gateway'))
    const transport = through(`http://u-marker:x-marker@127.0.0.1:${proxy.port}`)
    const { fetch, slots } = newClient({ source: secure, transport })
    const error = await fetch('/').catch((thrown) => thrown)
    expect(error).toBeInstanceOf(ExitUnreachable)
    expect([error.code, error.message]).toEqual(['source-unavailable', "the proxy can't reach the source"])
    expect([error.where, error.reason]).toEqual(['here', '502 to CONNECT'])
    expect(slots).toMatchObject({ acquisitions: 3, open: 0 })
  })

  test('whose exit does not answer in time is not tried again there', async () => {
    const proxy = await ownProxy(1, () => {})
    const transport = through(`http://127.0.0.1:${proxy.port}`, { tunnelMs: 100 })
    const { fetch, slots } = newClient({ source: secure, transport })
    expect(await fetch('/').catch((thrown) => thrown)).toBeInstanceOf(ExitUnreachable)
    expect(slots).toMatchObject({ acquisitions: 1, open: 0 })
  })

  test("whose request's time is up before its exit answers is not tried again there", async () => {
    const proxy = await ownProxy(1, () => {})
    const transport = through(`http://127.0.0.1:${proxy.port}`)
    const { fetch, slots } = newClient({ source: secure, transport })
    expect(await fetch('/', { timeoutS: 0.1 }).catch((thrown) => thrown)).toBeInstanceOf(ExitUnreachable)
    expect(slots).toMatchObject({ acquisitions: 1, open: 0 })
  })

  test('asks its proxy for the hosts of the source alone, whose names it does not resolve itself', async () => {
    const answer = saying(
      'HTTP/1.1 302 Found\r\nLocation: http://inside.example/\r\nContent-Length: 0\r\n\r\n',
    )
    const proxy = await ownProxy(1, answer)
    const { fetch } = newClient({ source: plain, transport: through(`http://127.0.0.1:${proxy.port}`) })
    for (const url of ['http://inside.example/', 'http://127.0.0.1/', 'https://[::1]/'])
      await expect(fetch(url)).rejects.toThrow('cannot fetch this URL')
    // The source leads to another host.
    expect(await codeOf(fetch('/'))).toBe('source-redirected')
    expect(proxy.heads.map((head) => head.split('\r\n')[0])).toEqual(['GET http://localhost/ HTTP/1.1'])
  })

  test('goes on when the exit works again', async () => {
    let times = 0
    const answer = saying('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    const proxy = await ownProxy(1, (...all) =>
      (++times < 3 ? refusing('407 Proxy Authentication Required') : answer)(...all),
    )
    const { fetch } = newClient({ source: plain, transport: through(`http://127.0.0.1:${proxy.port}`) })
    expect(await (await fetch('/')).text()).toBe('ok')
  })

  test('that gets the block page of its proxy is blocked', async () => {
    const page = '<title>Access denied</title>'
    const proxy = await ownProxy(
      1,
      saying(
        `HTTP/1.1 403 Filtered\r\nContent-Type: text/html\r\nContent-Length: ${page.length}\r\n\r\n${page}`,
      ),
    )
    const { fetch } = newClient({ source: plain, transport: through(`http://127.0.0.1:${proxy.port}`) })
    expect(await codeOf(fetch('/'))).toBe('source-blocked')
  })

  test.each(['http', 'https'])(
    'whose proxy dies in the middle of an answer by %s is tried again',
    async (scheme) => {
      let answers = 0
      const server = await serve(
        scheme,
        (_, response) => {
          response.writeHead(200, { 'content-length': 4 }).write('ha')
          if (++answers > 1) response.end('lf')
        },
        { ...(scheme === 'https' && { tls: local }) },
      )
      const connections: Socket[] = []
      const proxy = await ownProxy(server.port, (_, head, join) => {
        connections.push(join(head.startsWith('CONNECT')))
      })
      const { fetch, slots } = newClient({
        source: scheme === 'https' ? secure : plain,
        transport: through(`http://127.0.0.1:${proxy.port}`),
        observer: () => ({
          answered: () => {},
          // The first part of the first answer has arrived.
          read: () => void (connections.length === 1 && connections[0]!.destroy()),
          ended: () => {},
        }),
      })
      expect(await (await fetch('/')).text()).toBe('half')
      expect(slots.acquisitions).toBe(2)
    },
  )
})
