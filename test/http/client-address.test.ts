/** The client address of a request behind trusted and untrusted proxies. */
import { expect, test } from 'bun:test'
import { readConfig } from '../../src/config.ts'
import { clientAddress, clientOf, networkOf } from '../../src/http/client-address.ts'

const trusting = (held: string) => readConfig({ TRUSTED_PROXIES: held }).trustedProxies

test.each([
  ['no proxy is trusted by default', '', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  [
    'the address forwarded by a trusted proxy is the client',
    '10.0.0.0/8',
    '10.1.2.3',
    '198.51.100.1',
    '198.51.100.1',
  ],
  [
    'a trusted proxy that forwards no address is itself the client',
    '10.0.0.0/8',
    '10.1.2.3',
    null,
    '10.1.2.3',
  ],
  [
    'an address invented by the client is ignored',
    '10.0.0.1',
    '10.0.0.1',
    '127.0.0.1, 198.51.100.1',
    '198.51.100.1',
  ],
  [
    'several trusted proxies in a row are skipped',
    '10.0.0.1, 10.0.0.2',
    '10.0.0.1',
    '198.51.100.1, 10.0.0.2',
    '198.51.100.1',
  ],
  [
    'an untrusted proxy in the row is the client',
    '10.0.0.1',
    '10.0.0.1',
    '198.51.100.1, 10.0.0.2',
    '10.0.0.2',
  ],
  [
    'an entry that is not an address ends the search',
    '10.0.0.1',
    '10.0.0.1',
    '198.51.100.1, unknown',
    '10.0.0.1',
  ],
  [
    'IPv4-mapped IPv6 addresses are treated as IPv4',
    '127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:198.51.100.1',
    '198.51.100.1',
  ],
  ['IPv6 networks and addresses work', 'fd00::/8, ::1', 'fd12::1', '2001:db8::7, ::1', '2001:db8::7'],
])('%s', (_, trusted, connection, forwarded, address) => {
  expect(clientAddress(connection, forwarded, trusting(trusted))).toBe(address)
})

test('IPv6 addresses with the same first 64 bits are one client', () => {
  const one = ['2001:db8:0:7::1', '2001:db8:0:7:ffff:ffff:ffff:ffff', '2001:0DB8::7:0:0:0:1']
  expect(new Set(one.map(networkOf))).toEqual(new Set(['2001:db8:0:7']))
  expect(networkOf('::1')).toBe('0:0:0:0')
  expect(networkOf('2001:db8:0:8::1')).toBe('2001:db8:0:8')
  expect(networkOf('198.51.100.1')).toBe('198.51.100.1')
})

test('clients with an unknown address are counted as one, whatever address they invent', () => {
  const deps = { config: readConfig({ TRUSTED_PROXIES: '10.0.0.1' }), connectionOf: () => undefined }
  for (const forwarded of ['198.51.100.1', '10.0.0.1', ''])
    expect(clientOf(deps, new Request('http://x/', { headers: { 'x-forwarded-for': forwarded } }))).toBe('')
})
