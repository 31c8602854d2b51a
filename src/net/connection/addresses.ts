/**
 * Which IP addresses are on the public internet. ipaddr.js provides the special ranges; this module adds the ones it
 * lacks.
 *
 * @module
 */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type V4 = ReturnType<typeof ipaddr.IPv4.parse>
type V6 = ReturnType<typeof ipaddr.IPv6.parse>

/** Azure's metadata address: it gives every virtual machine data such as credentials. The range around it is public. */
const AZURE = '168.63.129.16'
/** The part of IPv6 that is allocated to networks. */
const GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3')
/** NAT64: how an IPv6-only network reaches IPv4-only hosts. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/**
 * Whether an IP address is on the public internet. An IPv6 address that embeds an IPv4 address (mapped, NAT64, 6to4) is
 * judged by the IPv4 address.
 *
 * @param address as returned by a resolver; anything but an IP address in its usual notation yields false
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
