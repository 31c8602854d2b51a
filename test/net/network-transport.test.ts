/**
 * The network transport: which addresses it connects to, which certificates it accepts, and how it decodes responses.
 *
 * @module
 */
import { afterAll, describe, expect, test } from 'bun:test'
import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { until } from '../../rigs/servers/processes.ts'
import type { ConnectionOptions } from '../../src/net/connection/connections.ts'
import { networkTransport } from '../../src/net/connection/network-transport.ts'
import { AddressRefused, type Transport } from '../../src/net/transport/transport.ts'
import { authority } from './certificate.ts'
import { bytesOf, closeAll, hasIpv6, serve, serveRaw } from './servers.ts'

/** An address of this machine that counts as public in the tests. */
const OUTSIDE = '127.0.0.2'
const INSIDE = '127.0.0.1'
const at = (address: string): LookupAddress => ({ address, family: 4 })

afterAll(closeAll)

/** A client for which every name resolves to this machine, which counts as public. */
function newClient(options: Partial<ConnectionOptions> = {}): Transport {
  const everywhere = { allowsAddress: () => true, resolve: async () => [at(INSIDE)] }
  return networkTransport({ proxyUrl: null, ca: authority, ...everywhere, ...options })
}

const ask = (client: Transport, url: string, init: RequestInit = {}) =>
  client(new Request(url, { signal: AbortSignal.timeout(20_000), ...init }))
const textOf = async (...args: Parameters<typeof ask>): Promise<string> =>
  (await bytesOf(await ask(...args))).toString()

async function failureOf(promise: Promise<unknown>): Promise<Error & { code?: string }> {
  return promise.then(
    () => new Error('it did not fail'),
    (error) => error,
  )
}

/** Two servers on the same port of two addresses. */
async function onOnePort(scheme: string) {
  for (;;) {
    const outside = await serve(scheme, (_, response) => response.end('outside'), { address: OUTSIDE })
    const inside = serve(scheme, (_, response) => response.end('inside'), { port: outside.port })
    const server = await inside.catch((error) => {
      // Another process uses the port on that address.
      if (error.code !== 'EADDRINUSE') throw error
    })
    if (server) return { outside, inside: server }
  }
}

describe.each(['http', 'https'])('over %s', (scheme) => {
  test('a name that resolves to a public and later to an internal address opens no internal connection', async () => {
    const { outside, inside } = await onOnePort(scheme)
    let lookUps = 0
    const client = newClient({
      allowsAddress: (address) => address === OUTSIDE,
      resolve: async () => [at(++lookUps === 1 ? OUTSIDE : INSIDE)],
    })
    const url = `${scheme}://site.example:${outside.port}/`
    // The connection goes to the resolved address, and a kept connection is reused without another look-up.
    expect([await textOf(client, url), await textOf(client, url), lookUps]).toEqual(['outside', 'outside', 1])
    expect(outside.connections()).toBe(1)
    outside.drop()
    // A new connection is made as soon as the client has noticed that the kept one is closed.
    let failure: Error | undefined
    for (let tries = 0; tries < 100 && !failure; tries++)
      failure = await ask(client, url).then(
        () => undefined,
        (error) => error,
      )
    expect(failure).toBeInstanceOf(AddressRefused)
    expect(lookUps).toBe(2)
    expect(inside.connections()).toBe(0)
  })

  test('a name with one internal address among its addresses opens no connection', async () => {
    const outside = await serve(scheme, (_, response) => response.end('outside'), { address: OUTSIDE })
    const client = newClient({
      allowsAddress: (address) => address === OUTSIDE,
      resolve: async () => [at(OUTSIDE), at(INSIDE)],
    })
    const failure = await failureOf(ask(client, `${scheme}://site.example:${outside.port}/`))
    expect(failure).toBeInstanceOf(AddressRefused)
    expect(outside.connections()).toBe(0)
  })

  test.each([
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '127.0.0.1.',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '0x7f000001',
    '0x7f.1',
    '0177.0x0.1',
    '0',
    '0.0.0.0',
    '１２７.0.0.1',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'ｌocalhost',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::]',
    '[::127.0.0.1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b:1::127.0.0.1]',
    '[2002:7f00:1::]',
    '10.0.0.1',
    '012.0.0.1',
    '192.168.0.1',
    '3232235521',
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '168.63.129.16',
    '100.64.0.1',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[fec0::1]',
    '255.255.255.255',
    '224.0.0.1',
  ])('%s is not connected to', async (host) => {
    const server = await serve(scheme, (_, response) => response.end('inside'))
    // The system's own look-up and the real list of addresses.
    const client = networkTransport({ proxyUrl: null, ca: authority })
    const failure = await failureOf(ask(client, `${scheme}://${host}:${server.port}/`))
    // Some systems do not resolve names with a trailing dot.
    if (!host.endsWith('.')) expect(failure).toBeInstanceOf(AddressRefused)
    expect(failure.message).not.toBe('it did not fail')
    expect(server.connections()).toBe(0)
  })
})

describe('https', () => {
  test('sends the host name in the handshake and in the request', async () => {
    const site = await serve('https', (_, response) => response.end('ok'))
    expect(await textOf(newClient(), `https://www.site.example:${site.port}/`)).toBe('ok')
    expect(site.requests[0]?.headers.host).toBe(`www.site.example:${site.port}`)
    const hello = Promise.withResolvers<string>()
    const raw = await serveRaw((socket) =>
      socket.once('data', (chunk) => {
        hello.resolve(chunk.toString('latin1'))
        socket.destroy()
      }),
    )
    await failureOf(ask(newClient(), `https://www.site.example:${raw}/`))
    expect(await hello.promise).toContain('www.site.example')
  })

  test('rejects a certificate of another host', async () => {
    const site = await serve('https', (_, response) => response.end('ok'))
    const failure = await failureOf(ask(newClient(), `https://other.example:${site.port}/`))
    expect(failure.code).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
    const byAddress = await failureOf(ask(newClient(), `https://127.0.0.1:${site.port}/`))
    expect(byAddress.code).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
    expect(site.requests).toEqual([])
  })

  test('rejects a certificate that no trusted authority has signed', async () => {
    const site = await serve('https', (_, response) => response.end('ok'))
    const client = networkTransport({
      proxyUrl: null,
      allowsAddress: () => true,
      resolve: async () => [at(INSIDE)],
    })
    const failure = await failureOf(ask(client, `https://site.example:${site.port}/`))
    expect(failure.code).toMatch(/^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT_LOCALLY)$/)
    expect(site.requests).toEqual([])
  })
})

describe('a request', () => {
  test('sends default Accept headers, and keeps the headers that it is given', async () => {
    const site = await serve('http', (_, response) => response.end())
    const headers = new Headers({ 'User-Agent': 'x', Accept: 'text/html' })
    await textOf(newClient(), `http://site.example:${site.port}/a?b=c`, { headers })
    await textOf(newClient(), `http://site.example:${site.port}/`)
    const [first, second] = site.requests
    expect(first?.url).toBe('/a?b=c')
    expect(first?.headers).toMatchObject({
      'user-agent': 'x',
      accept: 'text/html',
      'accept-encoding': 'gzip, deflate, br, zstd',
    })
    expect(second?.headers).toMatchObject({ accept: '*/*' })
  })

  test.each<[string, string | Uint8Array<ArrayBuffer> | null, string, string]>([
    ['text', 'ä=1', '4', 'c3a43d31'],
    ['bytes', new Uint8Array([0, 255]), '2', '00ff'],
    ['nothing', null, '0', ''],
  ])('sends %s with its length', async (_, body, length, hex) => {
    const site = await serve('http', (request, response) => {
      const pieces: Buffer[] = []
      request.on('data', (piece) => pieces.push(piece))
      request.on('end', () => response.end(Buffer.concat(pieces).toString('hex')))
    })
    const answer = await textOf(newClient(), `http://site.example:${site.port}/`, { method: 'POST', body })
    expect([site.requests[0]?.headers['content-length'], answer]).toEqual([length, hex])
  })

  test('reuses the connection of the previous request', async () => {
    const site = await serve('http', (_, response) =>
      response.writeHead(302, { location: '/x' }).end('moved'),
    )
    const client = newClient()
    const url = `http://site.example:${site.port}/`
    for (let i = 0; i < 3; i++) await textOf(client, url)
    expect(site.connections()).toBe(1)
  })

  test('is sent again when the server closes a kept connection', async () => {
    let connections = 0
    const port = await serveRaw((socket) => {
      connections++
      let requests = 0
      socket.on('data', () => {
        if (requests++ > 0) socket.destroy()
        else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      })
    })
    const client = newClient()
    for (let i = 0; i < 3; i++) expect(await textOf(client, `http://site.example:${port}/`)).toBe('ok')
    expect(connections).toBe(3)
  })

  test('may take longer than idle connections are kept', async () => {
    const site = await serve('http', (_, response) => {
      setTimeout(() => response.write('slow '), 300)
      setTimeout(() => response.end('but here'), 600)
    })
    const client = newClient({ idleMs: 50 })
    expect(await textOf(client, `http://site.example:${site.port}/`)).toBe('slow but here')
    await until(() => site.open() === 0)
  })

  test('on the connection of a previous one may take longer than idle connections are kept', async () => {
    const urls: (string | undefined)[] = []
    const site = await serve('http', (request, response) => {
      urls.push(request.url)
      if (request.url === '/slow') setTimeout(() => response.end('here'), 1000)
      else response.end('at once')
    })
    const client = newClient({ idleMs: 500 })
    for (const path of ['/', '/slow']) await textOf(client, `http://site.example:${site.port}${path}`)
    expect({ urls, connections: site.connections() }).toEqual({ urls: ['/', '/slow'], connections: 1 })
  })

  test('is not sent again when a new connection breaks', async () => {
    let connections = 0
    const port = await serveRaw((socket) => {
      connections++
      socket.on('data', () => socket.destroy())
    })
    expect((await failureOf(ask(newClient(), `http://site.example:${port}/`))).code).toBe('ECONNRESET')
    expect(connections).toBe(1)
  })

  test.each(['look-up', 'connection', 'head', 'body'])(
    'ends with the reason of its signal during the %s',
    async (stage) => {
      const site = await serve('http', (_, response) => {
        if (stage === 'body') response.writeHead(200).write('x')
      })
      const client = newClient({
        ...(stage === 'look-up' ? { resolve: () => new Promise<never>(() => {}) } : {}),
        ...(stage === 'connection' ? { dial: () => new Promise<never>(() => {}) } : {}),
      })
      const abort = new AbortController()
      const reason = new Error('stopped')
      const response = ask(client, `http://site.example:${site.port}/`, { signal: abort.signal })
      let ended: Promise<unknown> = response
      if (stage === 'body') {
        const reader = (await response).body!.getReader()
        await reader.read()
        ended = reader.read()
      } else if (stage === 'head')
        while (site.requests.length === 0) await new Promise((go) => setTimeout(go, 1))
      abort.abort(reason)
      expect(await failureOf(ended)).toBe(reason)
    },
  )
})

describe('a response', () => {
  const ENCODED: readonly (readonly [string, string, Buffer])[] = [
    ['gzip', 'gzip', gzipSync('body')],
    ['x-gzip', 'X-GZIP', gzipSync('body')],
    ['deflate', 'deflate', deflateSync('body')],
    ['deflate without its header', 'deflate', deflateRawSync('body')],
    ['Brotli', 'br', brotliCompressSync('body')],
    ['Zstandard', 'zstd', zstdCompressSync('body')],
    ['two encodings', 'br, gzip', gzipSync(brotliCompressSync('body'))],
    ['no encoding', 'identity', Buffer.from('body')],
    ['an unknown encoding', 'rot13', Buffer.from('body')],
  ]
  test.each(ENCODED)('with %s is decoded', async (_, encoding, packed) => {
    const site = await serve('http', (_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(packed),
    )
    expect(await textOf(newClient(), `http://site.example:${site.port}/`)).toBe('body')
  })

  test('that names more encodings than a server applies is refused before a decoder is created', async () => {
    const site = await serve('http', (_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip, gzip, gzip, gzip' }).end('x'),
    )
    const read = textOf(newClient(), `http://site.example:${site.port}/`)
    await expect(read).rejects.toThrow('4 content encodings; at most 3 are decoded')
  })

  test.each(['gzip', 'deflate', 'br', 'zstd'])(
    'without a body is empty despite Content-Encoding: %s',
    async (encoding) => {
      const site = await serve('http', (_, response) =>
        response.writeHead(200, { 'content-encoding': encoding }).end(),
      )
      const url = `http://site.example:${site.port}/`
      expect(await textOf(newClient(), url)).toBe('')
      expect(await textOf(newClient(), url, { method: 'HEAD' })).toBe('')
    },
  )

  test('with a large body arrives complete and in order', async () => {
    const large = Buffer.alloc(5 * 1024 * 1024).map((_, i) => i % 251)
    const site = await serve('http', (request, response) =>
      request.url === '/packed'
        ? response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(large))
        : response.end(large),
    )
    for (const path of ['', 'packed'])
      expect(
        (await bytesOf(await ask(newClient(), `http://site.example:${site.port}/${path}`))).equals(large),
      ).toBe(true)
  })

  test.each(['identity', 'gzip'])(
    'whose body is cancelled midway closes its connection (%s)',
    async (encoding) => {
      const closed = Promise.withResolvers<void>()
      const site = await serve('http', (_, response) => {
        response.on('close', closed.resolve)
        response.writeHead(200, { 'content-encoding': encoding })
        response.write(encoding === 'gzip' ? gzipSync('x').subarray(0, 15) : 'x')
      })
      const { body } = await ask(newClient(), `http://site.example:${site.port}/`)
      const reader = body!.getReader()
      if (encoding === 'identity') await reader.read()
      await reader.cancel()
      await closed.promise
    },
  )

  test.each<[string, (socket: Socket) => void]>([
    ['breaks off', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart')],
    [
      'is compressed and breaks off',
      (socket) => {
        const packed = gzipSync('x'.repeat(1000))
        socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`)
        socket.end(packed.subarray(0, 15))
      },
    ],
    [
      'contains truncated compressed data',
      (socket) => {
        const packed = gzipSync('x'.repeat(1000)).subarray(0, 15)
        socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`)
        socket.end(packed)
      },
    ],
  ])('that %s fails when its body is read', async (_, answer) => {
    const port = await serveRaw((socket) => void once(socket, 'data').then(() => answer(socket)))
    const response = await ask(newClient(), `http://site.example:${port}/`)
    expect((await failureOf(bytesOf(response))).message).not.toBe('it did not fail')
  })

  test('keeps repeated headers and long headers', async () => {
    const site = await serve('http', (_, response) =>
      response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'], 'x-policy': 'p'.repeat(60_000) }).end(),
    )
    const { headers } = await ask(newClient(), `http://site.example:${site.port}/`)
    expect(headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(headers.get('x-policy')).toHaveLength(60_000)
  })
})

describe('the transport with a proxy', () => {
  /** A proxy that records request heads and forwards every connection to one server. */
  async function newProxy(target: number, address?: string) {
    const heads: string[] = []
    const port = await serveRaw((socket) => {
      socket.once('data', (chunk) => {
        const head = chunk.toString()
        heads.push(head)
        if (head.includes('refused')) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
        const onward = connect(target, INSIDE)
        onward.on('error', () => socket.destroy())
        socket.on('close', () => onward.destroy())
        if (head.startsWith('CONNECT')) socket.write('HTTP/1.1 200 OK\r\n\r\n')
        else onward.write(chunk)
        socket.pipe(onward).pipe(socket)
      })
    }, address)
    return { heads, port }
  }
  const unknown = { resolve: () => Promise.reject(new Error('looked up')) }
  const credentials = `Basic ${Buffer.from('user:p@ss').toString('base64')}`.toLowerCase()

  test('sends http requests to the proxy in absolute form with credentials, and looks up no name', async () => {
    const site = await serve('http', (request, response) => response.end(request.url))
    const proxy = await newProxy(site.port)
    const client = newClient({ ...unknown, proxyUrl: `http://user:p%40ss@127.0.0.1:${proxy.port}` })
    expect(await textOf(client, 'http://site.example/a?b')).toBe('http://site.example/a?b')
    expect(proxy.heads[0]?.toLowerCase()).toContain(`proxy-authorization: ${credentials}`)
    expect(site.requests[0]?.headers.host).toBe('site.example')
  })

  test('tunnels https through the proxy, and checks the certificate against the host', async () => {
    const site = await serve('https', (request, response) => response.end(request.headers.host))
    const proxy = await newProxy(site.port)
    const client = newClient({ ...unknown, proxyUrl: `http://user:p%40ss@127.0.0.1:${proxy.port}` })
    expect(await textOf(client, 'https://www.site.example/')).toBe('www.site.example')
    expect(proxy.heads[0]).toStartWith('CONNECT www.site.example:443 HTTP/1.1\r\n')
    expect(proxy.heads[0]?.toLowerCase()).toContain(`proxy-authorization: ${credentials}`)
    const failure = await failureOf(ask(client, 'https://other.example/'))
    expect(failure.code).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
    expect((await failureOf(ask(client, 'https://refused.site.example/'))).message).toContain('403')
    expect(site.requests).toHaveLength(1)
  })

  test.skipIf(!hasIpv6).each(['http', 'https'])(
    'sends %s through a proxy at an IPv6 address',
    async (scheme) => {
      const site = await serve(scheme, (_, response) => response.end('ok'))
      const proxy = await newProxy(site.port, '::1')
      const client = newClient({ ...unknown, proxyUrl: `http://[::1]:${proxy.port}` })
      expect(await textOf(client, `${scheme}://site.example/`)).toBe('ok')
      expect(proxy.heads).toHaveLength(1)
    },
  )
})
