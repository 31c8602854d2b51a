/**
 * Which addresses count as public, in every notation.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import { isPublicAddress } from '../../src/net/connection/addresses.ts'

const INSIDE: Readonly<Record<string, readonly string[]>> = {
  'this machine': ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '0.0.0.0', '0.1.2.3', '::'],
  'this machine, as IPv4 embedded in IPv6': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:127.0.0.1',
    '::ffff:0:127.0.0.1',
    '::ffff:0:7f00:1',
    '::127.0.0.1',
    '::7f00:1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::127.0.0.1',
    '64:ff9b:1:ffff::1',
    '2002:7f00:1::',
    '2002:7f00:1::1',
  ],
  'a private network': [
    '10.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    'fc00::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '::10.0.0.1',
    '64:ff9b::10.0.0.1',
    '2002:c0a8:101::1',
  ],
  'link-local or site-local': ['169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'febf::1', 'fec0::1', 'feff::1'],
  'cloud metadata': [
    '169.254.169.254',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::ffff:168.63.129.16',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::168.63.129.16',
    '2002:a9fe:a9fe::',
    '2002:a83f:8110::1',
  ],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255', '::ffff:100.64.0.1', '2002:6440:1::'],
  'reserved, documentation or tunnel': [
    '192.0.0.8',
    '192.0.2.1',
    '192.88.99.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '240.0.0.1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:2::1',
    '2001:db8::1',
    '3fff::1',
    '5f00::1',
    '100::1',
    '4000::1',
    '1::1',
  ],
  'multicast or broadcast': [
    '224.0.0.1',
    '239.255.255.255',
    '255.255.255.255',
    'ff02::1',
    '::ffff:255.255.255.255',
  ],
  'not an address in canonical form': [
    '',
    'localhost',
    'localhost.',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '017700000001',
    '8.8.8.8.',
    '010.8.8.8',
    '[::1]',
    '1.2.3.4.5',
  ],
}

describe.each(Object.entries(INSIDE))('%s', (_, addresses) => {
  test.each(addresses)('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false))
})

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '172.32.0.1',
  '100.128.0.1',
  '168.63.129.17',
  '223.255.255.255',
  '2606:4700::1111',
  '2001:4860:4860::8888',
  '2a00:1450:4001:81b::200e',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '64:ff9b::808:808',
  '2002:808:808::1',
])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true))
