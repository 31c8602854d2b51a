/**
 * The HTTP client, with a server of the test as the source.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import { networkTransport } from '../../src/net/connection/network-transport.ts'
import { NotFound, Private, SourceChanged } from '../../src/plugin/errors.ts'
import { BROWSER, defineSource, type FetchOptions } from '../../src/plugin.ts'
import { type Answer, codeOf, lamps, redirect, startLamps } from './servers.ts'

const site = startLamps()
const { requests, newClient, at } = site

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
    expect(slots).toMatchObject({ acquisitions: 1, open: 0 })
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
    expect(await (await newClient({ source: { ...lamps, userAgent: 'Lamps/2' } }).fetch('/who')).text()).toBe(
      'Lamps/2',
    )
  })

  describe('sends the headers of a browser', () => {
    const seen = async (isBrowser: boolean, options?: FetchOptions) => {
      at('/who', (request, response) =>
        response.end(JSON.stringify([request.headers['user-agent'], request.headers['sec-fetch-dest']])),
      )
      const client = newClient({ source: isBrowser ? { ...lamps, userAgent: BROWSER } : lamps })
      return (await client.fetch('/who', options)).json()
    }

    test('for a source that is read as by one: of a document for GET, otherwise of a script', async () => {
      expect(await seen(true)).toEqual([BROWSER, 'document'])
      expect(await seen(true, { method: 'POST', body: 'x' })).toEqual([BROWSER, 'empty'])
      expect(await seen(true, { as: 'fetch' })).toEqual([BROWSER, 'empty'])
    })

    test('for another source only where the request asks for them', async () => {
      expect(await seen(false)).toEqual(['Gleaner/test (+http://gleaner.example)', null])
      expect(await seen(false, { as: 'fetch' })).toEqual([BROWSER, 'empty'])
    })

    test('but not for a request with a user agent of its own', async () => {
      expect(await seen(true, { headers: { 'user-agent': 'server:lamps:1' } })).toEqual([
        'server:lamps:1',
        null,
      ])
    })

    test('of a document only for GET', async () => {
      await expect(seen(true, { as: 'document', method: 'POST' })).rejects.toThrow('cannot be a document')
    })
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
    const local = defineSource({ ...lamps, name: 'local', origin: 'http://localhost' })
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
    expect(slots).toMatchObject({ acquisitions: tries, open: 0 })
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
    const { fetch, slots } = newClient({ source: { ...lamps, pace: { rest } } })
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
    expect(slots.acquisitions).toBe(1)
  })
})

test('a request whose connection is reset is retried and ends as source-unavailable', async () => {
  at('/reset', (request) => request.socket.destroy())
  const { fetch, slots } = newClient()
  expect(await codeOf(fetch('/reset'))).toBe('source-unavailable')
  expect(slots).toMatchObject({ acquisitions: 3, open: 0 })
})

test('the run’s signal ends a request at once, with the reason of the signal', async () => {
  at('/silent', () => {})
  const abort = new AbortController()
  const { fetch, slots } = newClient({ signal: abort.signal })
  const fetched = fetch('/silent')
  while (slots.acquisitions === 0) await new Promise((go) => setTimeout(go, 1))
  const reason = new Error('cancelled')
  abort.abort(reason)
  await expect(fetched).rejects.toBe(reason)
  expect(slots).toMatchObject({ acquisitions: 1, open: 0 })
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
