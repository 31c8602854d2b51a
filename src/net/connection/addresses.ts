/**
 * Which addresses lie on the public internet. The list of special ranges is ipaddr.js's; what it lets through stands here.
 *
 * @module
 */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type V4 = ReturnType<typeof ipaddr.IPv4.parse>
type V6 = ReturnType<typeof ipaddr.IPv6.parse>

/** Azure answers every virtual machine there, credentials of the machine among it; the range around it is public. */
const AZURE = '168.63.129.16'
/** All of IPv6 that is given out to networks. */
const GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3')
/** NAT64: how hosts that have IPv4 alone are reached from a network that has IPv6 alone. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/**
 * Whether an IP address lies on the public internet. An IPv6 address that stands for an IPv4 one (mapped, NAT64, 6to4)
 * is judged by that.
 *
 * @param address as a resolver gives it; false for all that is no IP address in its usual form
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return isPublicV4(ipaddr.IPv4.parse(address))
  return family === 6 && isPublicV6(ipaddr.IPv6.parse(address))
}

const isPublicV4 = (address: V4): boolean => address.range() === 'unicast' && address.toString() !== AZURE

function isPublicV6(address: V6): boolean {
  const bytes = address.toByteArray()
  if (address.isIPv4MappedAddress() || address.match(NAT64)) return isPublicV4(v4(bytes.slice(12)))
  if (address.range() === '6to4') return isPublicV4(v4(bytes.slice(2, 6)))
  return address.range() === 'unicast' && address.match(GLOBAL)
}

const v4 = (bytes: number[]): V4 => ipaddr.fromByteArray(bytes) as V4
