/**
 * The parts of the HTTP client that can be judged without a network.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import { addressFault } from '../../src/net/allowed-hosts.ts'
import { CookieJar } from '../../src/net/cookies.ts'
import { backoff, retryAfter } from '../../src/net/retry.ts'
import { Origins } from '../../src/net/transport/origins.ts'

test('an address belongs to a source by its host alone', () => {
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
])('no source reaches %s', (url) => {
  const source = { origin: 'https://www.a.example', hosts: ['b.example', '*.c.example'] }
  expect(addressFault(source, new URL(url))).toBeDefined()
})

describe('a replaced origin', () => {
  const origins = new Origins('http://127.0.0.1:9/p/q')

  test('takes over path and query', () => {
    expect(origins.actual(new URL('https://a.example/x/y?z=1')).href).toBe('http://127.0.0.1:9/p/q/x/y?z=1')
    expect(new Origins('http://h:1').actual(new URL('https://a.example/x')).href).toBe('http://h:1/x')
  })

  test('does not appear in what clients read', () => {
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

  test('belong to host and path', () => {
    const cookie = jarWith(['a=1', 'b=2; Path=/', 'c=3; Domain=.a.example; Path=/'])
    expect(cookie('https://www.a.example/dir/x')).toBe('a=1; b=2; c=3')
    expect(cookie('https://www.a.example/director')).toBe('b=2; c=3')
    expect(cookie('https://img.a.example/')).toBe('c=3')
    expect(cookie('https://b.example/')).toBeUndefined()
  })

  test('of other sites, or without a name, are not taken', () => {
    const cookie = jarWith([
      'a=1; Domain=b.example',
      'b=1; Domain=example',
      '=x',
      'nothing',
      `c=${'x'.repeat(5000)}`,
    ])
    expect(cookie('https://www.a.example/dir/')).toBeUndefined()
  })

  test('that are secure go over https alone, and expire', () => {
    let now = 0
    const cookie = jarWith(['a=1; Secure; Path=/', 'b=2; Max-Age=10; Path=/'], undefined, () => now)
    expect(cookie('http://www.a.example/')).toBe('b=2')
    now = 10_000
    expect(cookie('https://www.a.example/')).toBe('a=1')
  })

  test('keep = and blanks within their values', () => {
    expect(jarWith(['a=x=y z'])('https://www.a.example/dir/')).toBe('a=x=y z')
  })
})

describe('cookies of a login', () => {
  const saved = {
    ...{ name: 'a', value: '1', path: '/', expires: -1 },
    ...{ secure: true, httpOnly: true, sameSite: 'Lax' as const },
  }
  const changed = (lines: string[]) => {
    const jar = new CookieJar(() => 1000)
    jar.add([
      { ...saved, domain: '.a.example' },
      { ...saved, name: 'b', domain: 'www.a.example' },
    ])
    const headers = new Headers()
    for (const line of lines) headers.append('set-cookie', line)
    jar.store(new URL('https://www.a.example/'), headers)
    return { changed: jar.changed, header: jar.header(new URL('https://www.a.example/')) }
  }

  test('are none that changed until an answer sets them', () => {
    expect(changed([])).toEqual({ changed: [], header: 'a=1; b=1' })
  })

  test('that answers set or delete are told as browsers save them', () => {
    const { changed: told, header } = changed([
      'a=2; Domain=a.example; Secure; HttpOnly; SameSite=None; Max-Age=60; Path=/',
      'b=; Max-Age=0; Path=/',
      'never=; Max-Age=0; Path=/',
    ])
    expect(header).toBe('a=2')
    expect(told).toEqual([
      { ...saved, domain: '.a.example', value: '2', sameSite: 'None', expires: 61 },
      { ...saved, name: 'b', domain: 'www.a.example', value: '', secure: false, httpOnly: false, expires: 1 },
    ])
  })

  test('for a host alone are others than those for all below it', () => {
    expect(changed(['a=own; Path=/']).header).toBe('a=1; b=1; a=own')
  })
})

describe('trying again', () => {
  test('waits longer each time, never too long, and never the same', () => {
    expect(backoff(1, 0)).toBe(250)
    expect(backoff(1, 1)).toBe(500)
    expect(backoff(3, 1)).toBe(2000)
    expect(backoff(50, 1)).toBe(10_000)
  })

  test('reads Retry-After as seconds or as a date', () => {
    const said = (value: string) => retryAfter(value, Date.UTC(2026, 0, 1))
    expect(said('120')).toBe(120_000)
    expect(said('Thu, 01 Jan 2026 00:00:30 GMT')).toBe(30_000)
    expect(said('Wed, 31 Dec 2025 00:00:00 GMT')).toBe(0)
    expect(said('soon')).toBeUndefined()
    expect(retryAfter(null, 0)).toBeUndefined()
  })
})
