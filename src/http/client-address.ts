/**
 * The client address of a request: the address of the connection, or the address that trusted proxies report.
 *
 * @module
 */
import { type BlockList, isIP, isIPv6 } from 'node:net'
import type { Deps } from './deps.ts'

/**
 * The network of the client that sent a request, by which attempts are counted. Clients with an unknown address count as
 * one: nobody may escape the limits by hanging up. Undefined without a server.
 */
export function clientOf(
  { connectionOf, config }: Pick<Deps, 'connectionOf' | 'config'>,
  request: Request,
): string | undefined {
  const forwarded = request.headers.get('x-forwarded-for')
  return (
    connectionOf && networkOf(clientAddress(connectionOf(request) ?? '', forwarded, config.trustedProxies))
  )
}

/**
 * The address of the client.
 *
 * @param connection the peer address of the connection
 * @param forwarded the header X-Forwarded-For: each proxy appends the address that the request came from
 * @param trusted proxies whose entries are believed. Entries before the last untrusted address may be forged
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

/** Converts an IPv4-mapped IPv6 address to plain IPv4. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

const isTrusted = (trusted: BlockList, address: string): boolean =>
  isIP(address) !== 0 && trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

/** The part of an address that identifies a client. For IPv6 the first 64 bits: the client can choose the others. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const full = address.replace('::', `:${'0:'.repeat(9 - address.split(':').length)}`)
  const network = full.split(':').slice(0, 4)
  return network.map((part) => (Number.parseInt(part, 16) || 0).toString(16)).join(':')
}
