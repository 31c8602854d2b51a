/** Where deliveries may go, and how hostile endpoints are handled. */
import { afterAll, describe, expect, test } from 'bun:test'
import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { readConfig } from '../../../src/config.ts'
import { type Outgoing, type SendOptions, send } from '../../../src/webhooks/deliveries/send.ts'
import { urlIssue } from '../../../src/webhooks/endpoints/target.ts'
import { authority } from '../../net/certificate.ts'
import { closeAll, serve, serveRaw } from '../../net/servers.ts'

afterAll(closeAll)

const allowing = (hosts: string) => readConfig({ WEBHOOK_ALLOW_HOSTS: hosts }).webhookAllowHosts
const NOTHING = allowing('')
const REFUSED = 'The host has an address to which deliveries are not allowed.'
const LOOPBACK = allowing('127.0.0.1')
const at =
  (...addresses: string[]) =>
  async (): Promise<LookupAddress[]> =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
const outgoing = (url: string): Outgoing => ({ url, headers: { 'webhook-id': '1' }, body: '{"a":"ü"}' })
const sendTo = (url: string, options: Partial<SendOptions> = {}, signal?: AbortSignal) =>
  send(outgoing(url), { allowed: LOOPBACK, ...options }, signal)

describe('an endpoint that', () => {
  test('answers gets the body and the headers, and its answer is returned', async () => {
    const bodies: string[] = []
    const site = await serve('http', async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      bodies.push(body)
      response.writeHead(202, { 'retry-after': '7' }).end('thänks')
    })
    const outcome = await sendTo(`http://127.0.0.1:${site.port}/hook?a=b`)
    expect(outcome).toMatchObject({ status: 202, error: null, response: 'thänks', retryAfterMs: 7000 })
    expect(bodies).toEqual(['{"a":"ü"}'])
    expect(site.requests[0]).toMatchObject({ method: 'POST', url: '/hook?a=b' })
    expect(site.requests[0]!.headers).toMatchObject({ 'webhook-id': '1', 'content-length': '10' })
  })

  test.each([301, 302, 303, 307, 308])('redirects with %d is not followed', async (status) => {
    let requests = 0
    const site = await serve('http', (_, response) => {
      requests++
      response.writeHead(status, { location: `http://127.0.0.1:${site.port}/inside` }).end()
    })
    expect(await sendTo(`http://127.0.0.1:${site.port}/`)).toMatchObject({
      status,
      error: `The endpoint responded with ${status}.`,
    })
    expect(requests).toBe(1)
  })

  test('answers without end is cut off after 4 KiB', async () => {
    const closed = Promise.withResolvers<void>()
    const site = await serve('http', (_, response) => {
      response.on('close', () => closed.resolve())
      const more = () => {
        while (response.write('ü'.repeat(32_768)));
        response.once('drain', more)
      }
      more()
    })
    const { status, response } = await sendTo(`http://127.0.0.1:${site.port}/`)
    expect([status, response!.length]).toEqual([200, 2048])
    await closed.promise
  })

  test('never ends its answer, or breaks it off, counts by its status', async () => {
    const endless = await serve('http', (_, response) => void response.writeHead(200).write('a'))
    const cut = 'HTTP/1.1 503 Busy\r\ncontent-length: 100\r\n\r\nabc'
    const breaking = await serveRaw((socket) => socket.once('data', () => socket.end(cut)))
    expect(await sendTo(`http://127.0.0.1:${endless.port}/`, { timeoutMs: 200 })).toMatchObject({
      ...{ status: 200, error: null, response: 'a' },
    })
    expect(await sendTo(`http://127.0.0.1:${breaking}/`)).toMatchObject({
      ...{ status: 503, error: 'The endpoint responded with 503.', response: 'abc' },
    })
  })

  test('never begins its answer, or sends its head byte by byte, times out without a status', async () => {
    const silent = await serveRaw(() => {})
    const slow = await serveRaw((socket) => {
      const timer = setInterval(() => socket.write('H'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    for (const port of [silent, slow])
      expect((await sendTo(`http://127.0.0.1:${port}/`, { timeoutMs: 200 })).status).toBeNull()
  })

  const broken: [what: string, answer: string][] = [
    ['closes the connection at once', ''],
    ['closes it within the head', 'HTTP/1.1 200 OK\r\nConte'],
    ['speaks no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
    ['sends a head without end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}\r\n\r\n`],
  ]
  test.each(broken)('%s yields an error without a status or address', async (_what, answer) => {
    const port = await serveRaw((socket) => socket.once('data', () => socket.end(answer)))
    const { status, error } = await sendTo(`http://127.0.0.1:${port}/`)
    expect(status).toBeNull()
    expect(error).toMatch(/^The .*\.$/)
    expect(error).not.toContain('127.0.0.1')
  })

  test('refuses the connection or cannot be resolved yields an error that says so', async () => {
    const site = await serve('http', () => {})
    site.server.close()
    await once(site.server, 'close')
    expect(await sendTo(`http://127.0.0.1:${site.port}/`)).toMatchObject({
      status: null,
      error: 'The host refused the connection.',
    })
    const nobody = await sendTo('https://hooks.example/', {
      resolve: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
    })
    expect(nobody.error).toBe('The host cannot be resolved.')
  })

  test('has a certificate whose time has passed or not come yields an error that says so', async () => {
    const failedWith = async (code: string, message: string) => {
      const resolve = () => Promise.reject(Object.assign(new Error(message), { code }))
      return (await sendTo('https://hooks.example/', { resolve })).error
    }
    expect([
      await failedWith('CERT_HAS_EXPIRED', 'certificate has expired'),
      await failedWith('CERT_NOT_YET_VALID', 'certificate is not yet valid'),
    ]).toEqual(['The certificate has expired.', 'The certificate is not valid yet.'])
  })

  test('has a certificate of another name or an untrusted authority is sent nothing', async () => {
    const site = await serve('https', (_, response) => void response.end('secret'))
    const named = allowing('site.example,other.test')
    const options = { allowed: named, resolve: at('127.0.0.1') }
    const good = await sendTo(`https://site.example:${site.port}/`, { ...options, ca: authority })
    expect(good).toMatchObject({ status: 200, response: 'secret' })
    const wrongName = await sendTo(`https://other.test:${site.port}/`, { ...options, ca: authority })
    const unknown = await sendTo(`https://site.example:${site.port}/`, options)
    expect([wrongName.status, unknown.status]).toEqual([null, null])
    expect(wrongName.error).toContain('certificate')
    expect(unknown.error).toContain('certificate')
    expect(site.requests).toHaveLength(1)
  })

  test.each(['http', 'https'])(
    'accepts %s and stays silent is disconnected at the timeout',
    async (scheme) => {
      const closed = Promise.withResolvers<void>()
      const port = await serveRaw((socket) => {
        socket.resume()
        socket.on('close', () => closed.resolve())
      })
      const outcome = await sendTo(`${scheme}://127.0.0.1:${port}/`, { timeoutMs: 200 })
      expect(outcome.error).toBe('The endpoint did not respond within 0.2 seconds.')
      // Also during a TLS handshake: otherwise each attempt would leave a connection open for as long as the endpoint
      // likes.
      await closed.promise
    },
  )

  const odd: [what: string, answer: Buffer, response: string][] = [
    [
      'early hints first',
      Buffer.from(`${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(50)}HTTP/1.1 200 OK\r\n\r\nok`),
      'ok',
    ],
    ['no content', Buffer.from('HTTP/1.1 204 No Content\r\n\r\n'), ''],
    [
      'invalid UTF-8',
      Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\na\xffb', 'latin1'),
      'a\uFFFDb',
    ],
    ['NUL bytes', Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\na\0b'), 'a\0b'],
  ]
  test.each(odd)('answers with %s is read correctly', async (_what, answer, response) => {
    const port = await serveRaw((socket) => socket.once('data', () => socket.end(answer)))
    expect(await sendTo(`http://127.0.0.1:${port}/`)).toMatchObject({ error: null, response })
  })

  const waits: [header: string, least: number | null, most: number | null][] = [
    ['120', 120_000, 120_000],
    [new Date(Date.now() + 3_600_000).toUTCString(), 3_500_000, 3_600_000],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 0, 0],
    ['99999999999', 99_999_999_999_000, 99_999_999_999_000],
    ['soon', null, null],
  ]
  test.each(waits)(
    'answers with Retry-After: %s has it parsed into milliseconds',
    async (header, least, most) => {
      const site = await serve('http', (_, response) =>
        response.writeHead(503, { 'retry-after': header }).end(),
      )
      const { retryAfterMs } = await sendTo(`http://127.0.0.1:${site.port}/`)
      if (least === null || most === null) expect(retryAfterMs).toBeUndefined()
      else {
        expect(retryAfterMs).toBeGreaterThanOrEqual(least)
        expect(retryAfterMs).toBeLessThanOrEqual(most)
      }
    },
  )

  test('is aborted by the sender yields no status', async () => {
    const begun = Promise.withResolvers<void>()
    const site = await serve('http', () => begun.resolve())
    const stop = new AbortController()
    const outcome = sendTo(`http://127.0.0.1:${site.port}/`, {}, stop.signal)
    await begun.promise
    stop.abort()
    expect((await outcome).status).toBeNull()
  })
})

describe('a host name', () => {
  test('that is public when saved and resolves to a private address when called reaches nothing', async () => {
    const site = await serve('http', (_, response) => void response.end('inside'))
    let requests = 0
    const resolve = async () => await at(requests++ === 0 ? '93.184.215.14' : '127.0.0.1')()
    expect(
      await urlIssue(`https://hooks.example:${site.port}/`, { allowed: NOTHING, resolve }),
    ).toBeUndefined()
    const outcome = await sendTo(`https://hooks.example:${site.port}/`, { allowed: NOTHING, resolve })
    expect(outcome).toMatchObject({
      status: null,
      error: REFUSED,
    })
    expect(site.connections()).toBe(0)
  })

  test('with one private address among its addresses is refused', async () => {
    const resolve = at('93.184.215.14', '10.0.0.1')
    expect(await urlIssue('https://hooks.example/', { allowed: NOTHING, resolve })).toContain('public')
    expect((await sendTo('https://hooks.example/', { allowed: NOTHING, resolve })).error).toBe(REFUSED)
  })
})

describe('WEBHOOK_ALLOW_HOSTS', () => {
  const cases: [url: string, allowed: string, address: string, isAllowed: boolean][] = [
    ['http://hooks.internal/', 'hooks.internal', '10.0.0.1', true],
    ['http://HOOKS.internal/', 'Hooks.Internal', '10.0.0.1', true],
    ['https://hooks.internal:8443/', 'hooks.internal', '10.0.0.1', true],
    ['http://hooks.internal/', '10.0.0.0/8', '10.9.9.9', true],
    ['http://hooks.internal/', 'fd00::/8', 'fd00::1', true],
    ['http://10.1.2.3/', '10.0.0.0/8', '', true],
    ['http://[fd00::1]:8080/', 'fd00::1', '', true],
    ['http://[::ffff:10.1.2.3]/', '10.0.0.0/8', '', true],
    ['https://169.254.169.254/', '10.0.0.0/8,hooks.internal', '', false],
    ['https://hooks.internal.example/', 'hooks.internal', '10.0.0.1', false],
    ['http://[64:ff9b::a01:203]/', '10.0.0.0/8', '', false],
    ['http://hooks.internal/', '10.0.0.0/8', '192.168.0.1', false],
    ['http://sub.hooks.internal/', 'hooks.internal', '10.0.0.1', false],
    ['http://other.example/', 'hooks.internal', '93.184.215.14', false],
    ['https://other.example/', 'hooks.internal', '10.0.0.1', false],
    ['https://127.0.0.1/', '10.0.0.0/8', '', false],
    ['https://other.example/', 'hooks.internal', '93.184.215.14', true],
  ]
  test.each(cases)('%s with %s, at %s: %p', async (url, allowed, address, isAllowed) => {
    const policy = { allowed: allowing(allowed), resolve: at(address) }
    expect((await urlIssue(url, policy)) === undefined).toBe(isAllowed)
  })
})

/** Addresses of this machine or its network, in spellings that slip through textual checks. */
const INSIDE = [
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
  ],
  ...[
    '0.0.0.0',
    '0',
    '10.0.0.1',
    '10.1',
    '0xa.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '192.168.257',
    '3232235777',
  ],
  ...[
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '100.64.0.1',
    '192.0.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
  ],
  ...['１２７.0.0.1', '①②⑦.0.0.1', '[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]'],
  ...[
    '[fe80::1]',
    '[fc00::1]',
    '[fd12:3456::1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[ff02::1]',
  ],
  ...['[2001:db8::1]', '[100::1]', 'localhost', 'LOCALHOST', 'localhost.', '168.63.129.16', 'a.localhost'],
]

/** The names above, which are resolved; all other entries are addresses, whatever they look like. */
const isName = (host: string) => /^localhost|\.localhost/i.test(host)

describe('a host that is not public', () => {
  test.each(INSIDE)('%s is refused when it is saved and when it is called', async (host) => {
    const url = `https://${host}/`
    // This resolver reports every name as public: addresses must not be resolved.
    const resolve = (name: string) => (isName(name) ? at('127.0.0.1', '::1') : at('93.184.215.14'))()
    expect(await urlIssue(url, { allowed: NOTHING, resolve })).toMatch(/^must /)
    if (URL.canParse(url))
      expect(await sendTo(url, { allowed: NOTHING, resolve, timeoutMs: 5000 })).toMatchObject({
        status: null,
        error: REFUSED,
      })
  })

  const resolved = INSIDE.filter((host) => isIP(host.replace(/^\[|\]$/g, '')) !== 0)
  test.each(resolved)('%s as the address of a name is refused too', async (host) => {
    const resolve = at(host.replace(/^\[|\]$/g, ''))
    expect(await urlIssue('https://hooks.example/', { allowed: NOTHING, resolve })).toMatch(/^must /)
    const { error } = await sendTo('https://hooks.example/', { allowed: NOTHING, resolve, timeoutMs: 5000 })
    expect(error).toBe(REFUSED)
  })

  const without = [
    '[fe80::1%25lo]',
    '127.0.0.1%00.example',
    '0x7f.0.0.0.1',
    '256.0.0.1',
    '',
    '[::ffff:127.1]',
  ]
  test.each(without)('"%s" is not a valid host', async (host) => {
    expect(await urlIssue(`https://${host}/`, { allowed: NOTHING })).toBe('must be an https URL')
  })

  const refused = [
    'ftp://hooks.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'hooks.example',
    'http://hooks.example/',
    'https://me@hooks.example/',
    'https://:secret@hooks.example/',
    'https://93.184.215.14:443@127.0.0.1/',
  ]
  test.each(refused)('%s is refused as the URL of an endpoint', async (url) => {
    expect(await urlIssue(url, { allowed: NOTHING, resolve: at('93.184.215.14') })).toMatch(/^must /)
  })
})
