/**
 * The HTTP client, with a server of the test as the source.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { networkTransport } from '../../src/net/connection/network-transport.ts'
import { HttpClient, type HttpClientOptions } from '../../src/net/http-client.ts'
import { Origins, withOrigin } from '../../src/net/transport/origins.ts'
import { NotFound, Private, SourceChanged, SourceError } from '../../src/plugin/errors.ts'
import { BROWSER, defineSource, type FetchOptions } from '../../src/plugin.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

const routes = new Map<string, Answer>()
const requests: IncomingMessage[] = []
let origin = ''
const server = createServer((request, response) => {
  requests.push(request)
  const path = new URL(request.url ?? '', 'http://x').pathname
  const answer = routes.get(path)
  if (answer) answer(request, response)
  else response.writeHead(500).end()
})

beforeAll(async () => {
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const source = defineSource({
  name: 'lamps',
  title: 'Lamps',
  origin: 'https://www.lamps.example',
  hosts: ['lamps.example', '*.cdn.example'],
  interstitials: [
    { url: /^https:\/\/consent\.other\.example\//, ends: 'source-blocked' },
    { url: /\/sign-in$/, ends: 'source-login-required' },
  ],
  tasks: [],
})

const everywhere = networkTransport({ proxyUrl: null, allowsAddress: () => true })

/** A client whose origin is replaced by the test's server, under `/prefix`. */
function newClient(options: Partial<HttpClientOptions> = {}) {
  const slots = { asked: 0, open: 0, pauses: [] as number[], waits: [] as number[] }
  const client = new HttpClient({
    source,
    userAgent: 'Gleaner/test (+http://gleaner.example)',
    transport: withOrigin(new Origins(`${origin}/prefix`), everywhere),
    signal: new AbortController().signal,
    until: Date.now() + 60_000,
    now: Date.now,
    wait: async (ms) => void slots.waits.push(ms),
    async acquire() {
      slots.asked++
      slots.open++
      let isReleased = false
      return (pauseMs) => {
        if (isReleased) return
        isReleased = true
        slots.open--
        if (pauseMs > 0) slots.pauses.push(pauseMs)
      }
    },
    ...options,
  })
  return { fetch: (url: string, fetchOptions?: FetchOptions) => client.fetch(url, fetchOptions), slots }
}

/** Sets the answer to a path below the prefix. */
function at(path: string, answer: Answer | string, headers: Record<string, string | string[]> = {}): void {
  routes.set(
    `/prefix${path}`,
    typeof answer === 'string' ? (_, r) => r.writeHead(200, headers).end(answer) : answer,
  )
}

const redirect =
  (location: string, status = 302): Answer =>
  (_, response) =>
    response.writeHead(status, { location }).end()

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof SourceError)) throw new Error(`no error of a source: ${error}`)
  expect(error.message).not.toContain('127.0.0.1')
  return error.code
}

describe('a refusal by status', () => {
  const html = { 'content-type': 'text/html' }
  const captcha = '<title>Attention Required!</title>'
  test.each<[number, Record<string, string>, string, FetchOptions['errors'], string]>([
    [404, html, '<title>Lamps</title>', undefined, 'not-found'],
    [404, html, '<title>Lamps</title>', { 404: SourceChanged }, 'source-changed'],
    [404, html, captcha, { 404: SourceChanged }, 'source-blocked'],
    [405, html, captcha, undefined, 'source-blocked'],
    [405, html, '', undefined, 'source-changed'],
    [418, { 'content-type': 'text/plain' }, 'tea', undefined, 'source-changed'],
    [451, html, captcha, undefined, 'source-blocked'],
    [400, html, captcha, undefined, 'source-blocked'],
    [400, { 'content-type': 'application/json' }, '{"error":"captcha"}', undefined, 'bad-input'],
    [403, html, '', { 403: Private }, 'private'],
    [503, html, '', { 503: Private }, 'private'],
  ])('%d %j %s with %p means %s', async (status, headers, body, errors, code) => {
    at('/refused', (_, response) => response.writeHead(status, headers).end(body))
    const { fetch, slots } = newClient()
    expect(await codeOf(fetch('/refused', errors ? { errors } : {}))).toBe(code)
    expect(slots.open).toBe(0)
  })
})

describe('a request', () => {
  test('goes to the replaced origin with prefix, path and query, and reports the public address', async () => {
    at('/search', (request, response) => response.end(request.url))
    const { fetch, slots } = newClient()
    const reply = await fetch('/search?a=1', { query: { b: 'x y', c: null, d: undefined } })
    expect(await reply.text()).toBe('/prefix/search?a=1&b=x+y')
    expect(reply.url).toBe('https://www.lamps.example/search?a=1&b=x+y')
    expect(reply.status).toBe(200)
    expect(slots).toMatchObject({ asked: 1, open: 0 })
    expect((await fetch('https://img.cdn.example/search')).url).toBe('https://img.cdn.example/search')
  })

  test('sends Gleaner’s user agent, unless the request has its own', async () => {
    at('/who', (request, response) => response.end(request.headers['user-agent']))
    const who = async (options?: FetchOptions) => (await newClient().fetch('/who', options)).text()
    expect(await who()).toBe('Gleaner/test (+http://gleaner.example)')
    expect(await who({ headers: { 'user-agent': 'server:lamps:1' } })).toBe('server:lamps:1')
  })

  test('sends the user agent that its source declares', async () => {
    at('/who', (request, response) => response.end(request.headers['user-agent']))
    expect(await (await newClient({ source: { ...source, userAgent: BROWSER } }).fetch('/who')).text()).toBe(
      BROWSER,
    )
  })

  test('can be a POST with a body', async () => {
    at('/post', (request, response) => {
      request.setEncoding('utf8')
      request.once('data', (body) => response.end(`${request.method} ${body}`))
    })
    expect(await (await newClient().fetch('/post', { method: 'POST', body: 'x=1' })).text()).toBe('POST x=1')
    expect(requests.at(-1)?.headers['content-type']).toBe('text/plain;charset=UTF-8')
    await expect(newClient().fetch('/post', { body: 'x=1' })).rejects.toThrow(TypeError)
  })

  test.each<[object, string]>([
    [{ accept: 404 }, 'accept must be a list of statuses'],
    [{ timeoutS: Number.NaN }, 'timeoutS must be above 0, not NaN'],
    [{ maxBytes: -1 }, 'maxBytes must be above 0, not -1'],
    [{ tries: 0 }, 'tries must be above 0, not 0'],
  ])('with the option %j fails before it is sent, and is no fault of the source', async (options, words) => {
    const before = requests.length
    await expect(newClient().fetch('/option', options)).rejects.toThrow(words)
    expect(requests.length).toBe(before)
  })

  test.each([
    'https://evil.example/',
    'https://evillamps.example/',
    'https://cdn.example/',
    'https://127.0.0.1/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://user:secret@www.lamps.example/',
    'https://www.lamps.example:8443/',
    'https://www.lamps.example./',
    'file:///etc/passwd',
  ])('to %s is refused before it is sent', async (url) => {
    const before = requests.length
    await expect(newClient().fetch(url)).rejects.toThrow(TypeError)
    expect(requests.length).toBe(before)
  })

  test('to a name that resolves to an internal address is refused', async () => {
    const local = defineSource({ ...source, name: 'local', origin: 'http://localhost' })
    const transport = networkTransport({ proxyUrl: null })
    const options = { source: local, transport }
    const fetched = newClient(options).fetch('/')
    expect(await codeOf(fetched)).toBe('source-redirected')
  })
})

describe('a response with status', () => {
  test.each([
    [404, 'not-found', 1],
    [410, 'not-found', 1],
    [401, 'source-blocked', 1],
    [403, 'source-blocked', 1],
    [400, 'bad-input', 1],
    [429, 'source-rate-limited', 3],
    [500, 'source-unavailable', 3],
    [503, 'source-unavailable', 3],
  ])('%i ends as %s after %i tries', async (status, code, tries) => {
    at('/status', (_, response) => response.writeHead(status).end('x'))
    const { fetch, slots } = newClient()
    expect(await codeOf(fetch('/status'))).toBe(code)
    expect(slots).toMatchObject({ asked: tries, open: 0 })
  })

  test('404 that the plugin accepts is returned as a reply', async () => {
    at('/gone', (_, response) => response.writeHead(404).end('nothing'))
    const reply = await newClient().fetch('/gone', { accept: [404] })
    expect([reply.status, await reply.text()]).toEqual([404, 'nothing'])
    await expect(newClient().fetch('/gone')).rejects.toBeInstanceOf(NotFound)
  })

  test('502 twice and then 200 succeeds', async () => {
    let count = 0
    at('/flaky', (_, response) => response.writeHead(++count < 3 ? 502 : 200).end('fine'))
    expect(await (await newClient().fetch('/flaky')).text()).toBe('fine')
  })

  test('Retry-After pauses the host with any status, but not with a redirect', async () => {
    const pausing =
      (status: number, headers: Record<string, string> = {}): Answer =>
      (_, response) =>
        response.writeHead(status, { 'retry-after': '7', ...headers }).end('{}')
    at('/busy', pausing(200))
    at('/moved', pausing(302, { location: '/prefix/quiet' }))
    at('/quiet', 'here')
    const { fetch, slots } = newClient()
    await fetch('/busy')
    expect(slots.pauses).toEqual([7000])
    await fetch('/moved')
    expect(slots.pauses).toEqual([7000])
  })

  test('a source may read the pause that its site asks for from other headers', async () => {
    at('/few', 'ok', { 'x-left': '0', 'x-reset': '3' })
    const rest = (headers: Headers) =>
      headers.get('x-left') === '0' ? Number(headers.get('x-reset')) * 1000 : undefined
    const { fetch, slots } = newClient({ source: { ...source, pace: { rest } } })
    await fetch('/few')
    expect(slots.pauses).toEqual([3000])
  })

  test('429 pauses the host for the time in Retry-After, and the request is then retried', async () => {
    let count = 0
    at('/busy', (_, response) =>
      ++count === 1 ? response.writeHead(429, { 'retry-after': '1' }).end() : response.end('now'),
    )
    const { fetch, slots } = newClient()
    expect(await (await fetch('/busy')).text()).toBe('now')
    expect([slots.pauses, slots.waits]).toEqual([[1000], [1000]])
  })

  test('429 ends the request at once when Retry-After exceeds the time left for the run', async () => {
    at('/later', (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end())
    const { fetch, slots } = newClient()
    expect(await codeOf(fetch('/later'))).toBe('source-rate-limited')
    expect(slots.asked).toBe(1)
  })
})

describe('a redirect', () => {
  test('within the source is followed and reports the public address', async () => {
    at('/new', 'here')
    for (const location of [
      '/new',
      '/prefix/new',
      'new',
      'https://lamps.example/new',
      `${origin}/prefix/new`,
      `${origin}/new`,
    ]) {
      at('/old', redirect(location))
      const reply = await newClient().fetch('/old')
      expect(await reply.text()).toBe('here')
      expect(reply.url).toMatch(/^https:\/\/(www\.)?lamps\.example\/new$/)
    }
  })

  test.each([
    ['https://evil.example/', 'source-redirected'],
    ['//evil.example/new', 'source-redirected'],
    ['ftp://www.lamps.example/', 'source-redirected'],
    ['http://169.254.169.254/latest', 'source-redirected'],
    ['https://www.lamps.example:22/', 'source-redirected'],
    ['http://', 'source-redirected'],
    ['https://consent.other.example/save?continue=x', 'source-blocked'],
    ['/sign-in', 'source-login-required'],
  ])('to %s is not followed and ends as %s', async (location, code) => {
    at('/old', redirect(location))
    at('/sign-in', 'a form')
    const before = requests.length
    const { fetch, slots } = newClient()
    expect(await codeOf(fetch('/old'))).toBe(code)
    expect(requests.length).toBe(before + 1)
    expect(slots.open).toBe(0)
  })

  test('in a loop is abandoned after six requests', async () => {
    at('/round', redirect('/round'))
    const { fetch, slots } = newClient()
    expect(await codeOf(fetch('/round'))).toBe('source-redirected')
    expect(slots.asked).toBe(6)
  })

  test.each([
    [302, 'POST', 'GET '],
    [303, 'POST', 'GET '],
    [307, 'POST', 'POST x=1'],
    [308, 'POST', 'POST x=1'],
  ] as const)('of status %i turns %s into %s', async (status, method, expected) => {
    at('/form', (request, response) => {
      request.resume()
      request.once('end', () => response.writeHead(status, { location: '/to' }).end())
    })
    at('/to', (request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += chunk))
      request.once('end', () => response.end(`${request.method} ${body}`))
    })
    expect(await (await newClient().fetch('/form', { method, body: 'x=1' })).text()).toBe(expected)
  })

  test('to another host of the source drops the authorization header', async () => {
    at('/old', redirect('https://img.cdn.example/new'))
    at('/new', (request, response) => response.end(String(request.headers.authorization)))
    const reply = await newClient().fetch('/old', { headers: { authorization: 'Bearer x' } })
    expect(await reply.text()).toBe('undefined')
  })

  test('from http to https is followed, one from https to http is not', async () => {
    at('/old', redirect('https://www.lamps.example/new'))
    at('/new', redirect('http://www.lamps.example/newest'))
    at('/newest', 'never asked for')
    const before = requests.length
    expect(await codeOf(newClient().fetch('http://www.lamps.example/old'))).toBe('source-redirected')
    expect(requests.slice(before).map(({ url }) => url)).toEqual(['/prefix/old', '/prefix/new'])
  })

  test('to a name that resolves to an internal address by then is not followed', async () => {
    const { port } = server.address() as AddressInfo
    const lookUps: string[] = []
    // The source's names resolve to the test's server while `address` is the one address that counts as public.
    let address = '127.0.0.1'
    const transport = networkTransport({
      proxyUrl: null,
      allowsAddress: (ip) => ip === '127.0.0.1',
      resolve: async (host) => {
        lookUps.push(host)
        return [{ address, family: 4 }]
      },
    })
    const own = defineSource({ ...source, name: 'own', origin: `http://www.lamps.example:${port}` })
    const options = { source: own, transport }
    const moved =
      (location: string): Answer =>
      (_, response) => {
        address = '127.0.0.3'
        response.writeHead(302, { location, connection: 'close' }).end()
      }
    routes.set('/same', moved('/inside'))
    routes.set('/other', moved('http://img.cdn.example/inside'))
    for (const path of ['/same', '/other']) {
      address = '127.0.0.1'
      const before = requests.length
      expect(await codeOf(newClient(options).fetch(path))).toBe('source-redirected')
      expect(requests.length).toBe(before + 1)
    }
    const [www, img] = ['www.lamps.example', 'img.cdn.example']
    expect(lookUps).toEqual([www, www, www, img])
  })
})

test('cookies are kept for the run and sent only to the hosts that set them', async () => {
  at('/set', 'ok', {
    'set-cookie': ['a=1; Path=/', 'b=2; Domain=lamps.example; Path=/', 'gone=1; Max-Age=0'],
  })
  at('/show', (request, response) => response.end(String(request.headers.cookie)))
  const { fetch } = newClient()
  await (await fetch('/set')).text()
  expect(await (await fetch('/show')).text()).toBe('a=1; b=2')
  expect(await (await fetch('/show', { headers: { cookie: 'own=1' } })).text()).toBe('own=1; a=1; b=2')
  expect(await (await fetch('https://lamps.example/show')).text()).toBe('b=2')
  expect(await (await fetch('https://img.cdn.example/show')).text()).toBe('undefined')
  expect(await (await newClient().fetch('/show')).text()).toBe('undefined')
})

test('a request without cookies neither sends nor keeps any', async () => {
  at('/set', 'ok', { 'set-cookie': 'a=1; Path=/' })
  at('/show', (request, response) => response.end(String(request.headers.cookie)))
  const { fetch } = newClient()
  await fetch('/set', { cookies: false })
  expect(await (await fetch('/show')).text()).toBe('undefined')
  await fetch('/set')
  expect(await (await fetch('/show', { cookies: false })).text()).toBe('undefined')
})

describe('a body', () => {
  test('that never ends is cut off by the time limit', async () => {
    at('/endless', (_, response) => {
      const timer = setInterval(() => response.write('x'), 10)
      response.once('close', () => clearInterval(timer))
    })
    const { fetch, slots } = newClient()
    expect(await codeOf(fetch('/endless', { timeoutS: 0.2, tries: 1 }))).toBe('source-unavailable')
    expect(slots.open).toBe(0)
  })

  test('that is too large after decompression is cut off', async () => {
    const packed = gzipSync(Buffer.alloc(30 * 1024 * 1024))
    expect(packed.length).toBeLessThan(100_000)
    at('/bomb', (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed))
    const { fetch, slots } = newClient()
    expect(await codeOf(fetch('/bomb'))).toBe('response-too-large')
    expect(await codeOf(fetch('/bomb', { maxBytes: 1000 }))).toBe('response-too-large')
    const streamed = await fetch('/bomb', { maxBytes: 20 * 1024 * 1024 })
    expect(await codeOf(streamed.bytes())).toBe('response-too-large')
    expect(slots.open).toBe(0)
  })

  test('that breaks off is requested again', async () => {
    let count = 0
    at('/broken', (request, response) => {
      if (++count > 1) return response.end('whole')
      response.writeHead(200, { 'content-length': '1000' })
      response.write('part')
      return setTimeout(() => request.socket.destroy(), 20)
    })
    expect(await (await newClient().fetch('/broken')).text()).toBe('whole')
  })

  test('can be streamed, complete and in order', async () => {
    const large = Buffer.alloc(3 * 1024 * 1024).map((_, i) => i % 251)
    at('/large', (_, response) => response.end(large))
    const { fetch, slots } = newClient()
    const chunks: Uint8Array[] = []
    for (const maxBytes of [undefined, 2 ** 30]) {
      for await (const chunk of (await fetch('/large', maxBytes ? { maxBytes } : {})).stream())
        chunks.push(chunk)
      expect(Buffer.concat(chunks.splice(0)).equals(large)).toBe(true)
      expect(slots.open).toBe(0)
    }
  })

  test('can be read as text repeatedly, but not streamed afterwards', async () => {
    at('/small', 'ok')
    const reply = await newClient().fetch('/small')
    expect([await reply.text(), await reply.text()]).toEqual(['ok', 'ok'])
    expect(() => reply.stream()).toThrow('already been read')
  })

  test('that is large and never read releases its slot when its time limit ends', async () => {
    at('/large', (_, response) => response.end(Buffer.alloc(8 * 1024 * 1024)))
    const { fetch, slots } = newClient()
    await fetch('/large', { timeoutS: 0.3, maxBytes: 2 ** 30 })
    expect(slots.open).toBe(1)
    while (slots.open > 0) await new Promise((go) => setTimeout(go, 10))
  })

  test('is decoded by its charset', async () => {
    const cyrillic = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2])
    at('/header', (_, r) =>
      r.writeHead(200, { 'content-type': 'text/html; charset=windows-1251' }).end(cyrillic),
    )
    const meta = Buffer.concat([Buffer.from('<meta charset="windows-1251">'), cyrillic])
    at('/meta', (_, r) => r.writeHead(200, { 'content-type': 'text/html' }).end(meta))
    at('/utf16', (_, r) => r.end(Buffer.from('\ufeffПривет', 'utf16le')))
    at('/unknown', (_, r) => r.writeHead(200, { 'content-type': 'text/html; charset=klingon' }).end('Привет'))
    const { fetch } = newClient()
    for (const path of ['/header', '/meta', '/utf16', '/unknown'])
      expect(await (await fetch(path)).text()).toEndWith('Привет')
  })

  test('that is not the expected JSON ends as source-changed', async () => {
    at('/html', '<html>')
    expect(await codeOf((await newClient().fetch('/html')).json())).toBe('source-changed')
  })
})

test('a request whose connection is reset is retried and ends as source-unavailable', async () => {
  at('/reset', (request) => request.socket.destroy())
  const { fetch, slots } = newClient()
  expect(await codeOf(fetch('/reset'))).toBe('source-unavailable')
  expect(slots).toMatchObject({ asked: 3, open: 0 })
})

test('the run’s signal ends a request at once, with the reason of the signal', async () => {
  at('/silent', () => {})
  const abort = new AbortController()
  const { fetch, slots } = newClient({ signal: abort.signal })
  const fetched = fetch('/silent')
  while (slots.asked === 0) await new Promise((go) => setTimeout(go, 1))
  const reason = new Error('cancelled')
  abort.abort(reason)
  await expect(fetched).rejects.toBe(reason)
  expect(slots).toMatchObject({ asked: 1, open: 0 })
})

test('waiting for a slot does not count against the time limit', async () => {
  at('/soon', 'ok')
  const { fetch } = newClient({
    async acquire() {
      await new Promise((go) => setTimeout(go, 150))
      return () => {}
    },
  })
  expect(await (await fetch('/soon', { timeoutS: 0.1, tries: 1 })).text()).toBe('ok')
})

test('waiting for a slot does not count against the time limit while other responses wait to be read', async () => {
  const large = Buffer.alloc(3 * 1024 * 1024, 'x')
  at('/large', (_, response) => response.end(large))
  let busy = Promise.resolve()
  const { fetch } = newClient({
    // One at a time.
    async acquire() {
      const before = busy
      const { promise, resolve } = Promise.withResolvers<void>()
      busy = promise
      await before
      return () => resolve()
    },
  })
  const replies = await Promise.all([1, 2, 3].map(() => fetch('/large', { timeoutS: 2, tries: 1 })))
  for (const reply of replies) expect((await reply.bytes()).length).toBe(large.length)
})

test('waiting for a slot at a later hop does not count against the time limit', async () => {
  at('/old', redirect('/older'))
  at('/older', redirect('/soon'))
  at('/soon', 'ok')
  const { fetch } = newClient({
    async acquire() {
      await new Promise((go) => setTimeout(go, 500))
      return () => {}
    },
  })
  expect(await (await fetch('/old', { timeoutS: 0.4, tries: 1 })).text()).toBe('ok')
})
