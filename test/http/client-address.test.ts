/** Where a request comes from, when some of its proxies are trusted and others not. */
import { expect, test } from 'bun:test'
import { readConfig } from '../../src/config.ts'
import { clientAddress, networkOf } from '../../src/http/client-address.ts'

const trusting = (held: string) => readConfig({ TRUSTED_PROXIES: held }).trustedProxies

test.each([
  ['nobody is trusted by default', '', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['a trusted proxy says it', '10.0.0.0/8', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
  ['a trusted proxy that says nothing is it itself', '10.0.0.0/8', '10.1.2.3', null, '10.1.2.3'],
  [
    'what a client made up stands before it',
    '10.0.0.1',
    '10.0.0.1',
    '127.0.0.1, 198.51.100.1',
    '198.51.100.1',
  ],
  ['several proxies in a row', '10.0.0.1, 10.0.0.2', '10.0.0.1', '198.51.100.1, 10.0.0.2', '198.51.100.1'],
  ['one of them is not trusted', '10.0.0.1', '10.0.0.1', '198.51.100.1, 10.0.0.2', '10.0.0.2'],
  ['what is no address ends it', '10.0.0.1', '10.0.0.1', '198.51.100.1, unknown', '10.0.0.1'],
  ['IPv4 in the notation of IPv6', '127.0.0.1', '::ffff:127.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
  ['IPv6', 'fd00::/8, ::1', 'fd12::1', '2001:db8::7, ::1', '2001:db8::7'],
])('%s', (_, trusted, connection, forwarded, address) => {
  expect(clientAddress(connection, forwarded, trusting(trusted))).toBe(address)
})

test('of an IPv6 address the first 64 bits are one client', () => {
  const one = ['2001:db8:0:7::1', '2001:db8:0:7:ffff:ffff:ffff:ffff', '2001:0DB8::7:0:0:0:1']
  expect(new Set(one.map(networkOf))).toEqual(new Set(['2001:db8:0:7']))
  expect(networkOf('::1')).toBe('0:0:0:0')
  expect(networkOf('2001:db8:0:8::1')).toBe('2001:db8:0:8')
  expect(networkOf('198.51.100.1')).toBe('198.51.100.1')
})
