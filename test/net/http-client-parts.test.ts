/**
 * The parts of the HTTP client that can be tested without a network.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import { backoff } from '../../src/async/retry.ts'
import { addressFault } from '../../src/net/allowed-hosts.ts'
import { CookieJar } from '../../src/net/cookies.ts'
import { REQUEST_RETRIES, retryAfter } from '../../src/net/retry.ts'
import { Origins } from '../../src/net/transport/origins.ts'

test('a URL is allowed only if its host is the origin’s or matches the allowed hosts', () => {
  const source = { origin: 'https://www.a.example', hosts: ['b.example', '*.c.example'] }
  const fault = (url: string) => addressFault(source, new URL(url))
  for (const url of ['https://www.a.example/x', 'http://b.example', 'https://x.y.c.example/'])
    expect(fault(url)).toBeUndefined()
  for (const url of [
    'https://a.example',
    'https://c.example',
    'https://xb.example',
    'https://b.example.evil.example',
  ])
    expect(fault(url)).toBeDefined()
})

test.each([
  'https://www.a.example.',
  'https://localhost.',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://127.1',
  'https://0x7f000001/',
  'https://2130706433/',
  'https://www.a.example:8443/',
  'https://www.a.example:80/',
  'https://user@www.a.example/',
  'https://b.example@evil.example/',
  'https://ｅvil.example/',
  'https://b.example-evil.example/x',
  'ftp://www.a.example/',
  'file:///etc/passwd',
])('a source may not request %s', (url) => {
  const source = { origin: 'https://www.a.example', hosts: ['b.example', '*.c.example'] }
  expect(addressFault(source, new URL(url))).toBeDefined()
})

describe('a replaced origin', () => {
  const origins = new Origins('http://127.0.0.1:9/p/q')

  test('keeps the path and query of a request', () => {
    expect(origins.actual(new URL('https://a.example/x/y?z=1')).href).toBe('http://127.0.0.1:9/p/q/x/y?z=1')
    expect(new Origins('http://h:1').actual(new URL('https://a.example/x')).href).toBe('http://h:1/x')
  })

  test('is replaced by the public origin in texts for clients', () => {
    expect(origins.disguise('see http://127.0.0.1:9/p/q/x at 127.0.0.1:9', 'https://a.example')).toBe(
      'see https://a.example/x at a.example',
    )
  })
})

describe('cookies', () => {
  const jarWith = (lines: string[], from = 'https://www.a.example/dir/page', now = () => 0) => {
    const jar = new CookieJar(now)
    const headers = new Headers()
    for (const line of lines) headers.append('set-cookie', line)
    jar.store(new URL(from), headers)
    return (url: string) => jar.header(new URL(url))
  }

  test('are sent only to their host and path', () => {
    const cookie = jarWith(['a=1', 'b=2; Path=/', 'c=3; Domain=.a.example; Path=/'])
    expect(cookie('https://www.a.example/dir/x')).toBe('a=1; b=2; c=3')
    expect(cookie('https://www.a.example/director')).toBe('b=2; c=3')
    expect(cookie('https://img.a.example/')).toBe('c=3')
    expect(cookie('https://b.example/')).toBeUndefined()
  })

  test('are rejected for other domains, without a name, or when too large', () => {
    const cookie = jarWith([
      'a=1; Domain=b.example',
      'b=1; Domain=example',
      '=x',
      'nothing',
      `c=${'x'.repeat(5000)}`,
    ])
    expect(cookie('https://www.a.example/dir/')).toBeUndefined()
  })

  test('are sent over https only if Secure, and expire after Max-Age', () => {
    let now = 0
    const cookie = jarWith(['a=1; Secure; Path=/', 'b=2; Max-Age=10; Path=/'], undefined, () => now)
    expect(cookie('http://www.a.example/')).toBe('b=2')
    now = 10_000
    expect(cookie('https://www.a.example/')).toBe('a=1')
  })

  test('keep = and spaces in their values', () => {
    expect(jarWith(['a=x=y z'])('https://www.a.example/dir/')).toBe('a=x=y z')
  })
})

describe('cookies of a login', () => {
  const saved = {
    name: 'a',
    value: '1',
    path: '/',
    expires: -1,
    secure: true,
    httpOnly: true,
    sameSite: 'Lax' as const,
  }
  const changed = (lines: string[]) => {
    const jar = new CookieJar(
      () => 1000,
      [
        { ...saved, domain: '.a.example' },
        { ...saved, name: 'b', domain: 'www.a.example' },
      ],
    )
    const headers = new Headers()
    for (const line of lines) headers.append('set-cookie', line)
    jar.store(new URL('https://www.a.example/'), headers)
    return { changed: jar.changed, header: jar.header(new URL('https://www.a.example/')) }
  }

  test('are unchanged until a response sets them', () => {
    expect(changed([])).toEqual({ changed: [], header: 'a=1; b=1' })
  })

  test('are reported in the format of browsers when a response sets or deletes them', () => {
    const { changed: changes, header } = changed([
      'a=2; Domain=a.example; Secure; HttpOnly; SameSite=None; Max-Age=60; Path=/',
      'b=; Max-Age=0; Path=/',
      'never=; Max-Age=0; Path=/',
    ])
    expect(header).toBe('a=2')
    expect(changes).toEqual([
      { ...saved, domain: '.a.example', value: '2', sameSite: 'None', expires: 61 },
      { ...saved, name: 'b', domain: 'www.a.example', value: '', secure: false, httpOnly: false, expires: 1 },
    ])
  })

  test('for one host only are distinct from those for its subdomains', () => {
    expect(changed(['a=own; Path=/']).header).toBe('a=1; b=1; a=own')
  })
})

describe('retries', () => {
  test('wait twice as long each time, up to 10 s, with jitter', () => {
    expect(backoff(1, REQUEST_RETRIES, 0)).toBe(250)
    expect(backoff(1, REQUEST_RETRIES, 1)).toBe(500)
    expect(backoff(3, REQUEST_RETRIES, 1)).toBe(2000)
    expect(backoff(50, REQUEST_RETRIES, 1)).toBe(10_000)
  })

  test('read Retry-After as seconds or as a date', () => {
    const said = (value: string) => retryAfter(value, Date.UTC(2026, 0, 1))
    expect(said('120')).toBe(120_000)
    expect(said('Thu, 01 Jan 2026 00:00:30 GMT')).toBe(30_000)
    expect(said('Wed, 31 Dec 2025 00:00:00 GMT')).toBe(0)
    expect(said('soon')).toBeUndefined()
    expect(retryAfter(null, 0)).toBeUndefined()
  })
})

test('the value of a cookie is the one that would be sent, and never an empty one', () => {
  const jar = new CookieJar(() => 0)
  const headers = new Headers()
  headers.append('set-cookie', 'token=; Domain=a.example; Path=/')
  headers.append('set-cookie', 'token=t1; Path=/; Secure')
  headers.append('set-cookie', 'mine=m1; Path=/mine')
  headers.append('set-cookie', 'none=; Path=/')
  jar.store(new URL('https://www.a.example/'), headers)
  const sent = (name: string, url: string) => jar.valueOf(name, new URL(url))
  expect(sent('token', 'https://www.a.example/x')).toBe('t1')
  expect(sent('token', 'https://b.a.example/')).toBeUndefined()
  expect(sent('mine', 'https://www.a.example/')).toBeUndefined()
  expect(sent('mine', 'https://www.a.example/mine/1')).toBe('m1')
  expect(sent('none', 'https://www.a.example/')).toBeUndefined()
})
