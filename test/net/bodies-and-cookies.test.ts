/**
 * The HTTP client reads bodies and keeps cookies, with a server of the test as the source.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { codeOf, startLamps } from './servers.ts'

const { newClient, at } = startLamps()

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
