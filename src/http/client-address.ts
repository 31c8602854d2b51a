/**
 * Where a request comes from: the address of the connection, or what trusted proxies say.
 *
 * @module
 */
import { type BlockList, isIP, isIPv6 } from 'node:net'

/**
 * The address of the client.
 *
 * @param connection the address that the connection comes from
 * @param forwarded the header X-Forwarded-For: each proxy adds at its end where the request came from
 * @param trusted proxies that are believed. Whatever precedes the last address that is not one of them may be forged
 */
export function clientAddress(connection: string, forwarded: string | null, trusted: BlockList): string {
  const hops = (forwarded ?? '').split(',').map((hop) => plain(hop.trim()))
  let address = plain(connection)
  while (isTrusted(trusted, address)) {
    const before = hops.pop()
    if (before === undefined || isIP(before) === 0) break
    address = before
  }
  return address
}

/** An IPv4 address in IPv6 notation as plain IPv4. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

const isTrusted = (trusted: BlockList, address: string): boolean =>
  isIP(address) !== 0 && trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

/** An address as one client has it: of IPv6 the first 64 bits, since the others are the client's to choose. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const full = address.replace('::', `:${'0:'.repeat(9 - address.split(':').length)}`)
  const network = full.split(':').slice(0, 4)
  return network.map((part) => (Number.parseInt(part, 16) || 0).toString(16)).join(':')
}
