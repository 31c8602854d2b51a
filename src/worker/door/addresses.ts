/**
 * Addresses that a source's name may not lead to: this machine, private networks, and what else is not the public
 * internet. So a name whose owner points it inside opens nothing there.
 *
 * Between this look-up and the one of `fetch` the answer may change. Only the owner of one of the source's own host
 * names could use that, and neither runtime lets a request be bound to an address.
 *
 * @module
 */
import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { SourceError } from '../../plugin/errors.ts'

const INSIDE = new BlockList()
const V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]
const V6: readonly (readonly [string, number])[] = [
  ['::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  // Teredo and other tunnels and tests below 2001::/23; nothing there is a web site.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
]
for (const [net, prefix] of V4) INSIDE.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of V6) INSIDE.addSubnet(net, prefix, 'ipv6')

/** Whether an IP address lies on the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !INSIDE.check(address, 'ipv4')
  if (family !== 6) return false
  const v4 = embeddedV4(address)
  return v4 === undefined ? !INSIDE.check(address, 'ipv6') : !INSIDE.check(v4, 'ipv4')
}

/** The IPv4 address that an IPv6 one stands for (mapped, NAT64, 6to4), in whatever way it is written. */
function embeddedV4(address: string): string | undefined {
  const host = new URL(`http://[${address.split('%')[0]}]/`).hostname.slice(1, -1)
  const [front = '', back = ''] = host.split('::')
  const left = front === '' ? [] : front.split(':')
  const right = back === '' ? [] : back.split(':')
  const groups = [...left, ...Array(8 - left.length - right.length).fill('0'), ...right].map((g) =>
    Number.parseInt(g, 16),
  )
  const v4 = (high = 0, low = 0) => `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
  const starts = (...prefix: number[]) => prefix.every((group, i) => groups[i] === group)
  if (starts(0, 0, 0, 0, 0, 0xffff) || starts(0x64, 0xff9b, 0, 0, 0, 0)) return v4(groups[6], groups[7])
  return starts(0x2002) ? v4(groups[1], groups[2]) : undefined
}

const KEEP_MS = 60_000
const KEPT_NAMES = 1000
const kept = new Map<string, number>()

/**
 * Looks a name up and sees that all its addresses are public. An answer is good for a minute.
 *
 * @throws as {@link publicAddresses}
 */
export async function checkName(host: string): Promise<void> {
  const now = performance.now()
  if ((kept.get(host) ?? Number.NEGATIVE_INFINITY) > now) return
  await publicAddresses(host)
  if (kept.size >= KEPT_NAMES) kept.clear()
  kept.set(host, now + KEEP_MS)
}

/**
 * The addresses of a name, for who connects to one of them.
 *
 * @throws {SourceError} `source-redirected` when one is not public
 * @throws what the look-up throws: the name is not known, or there is no network
 */
export async function publicAddresses(host: string): Promise<string[]> {
  const addresses = (await lookup(host, { all: true })).map(({ address }) => address)
  if (!addresses.every(isPublicAddress))
    throw new SourceError('source-redirected', `${host} leads to an address that is not public`)
  return addresses
}
