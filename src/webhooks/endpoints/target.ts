/**
 * The allowed targets of deliveries: https to public addresses, and the hosts of WEBHOOK_ALLOW_HOSTS.
 *
 * @module
 */
import { isIP } from 'node:net'
import type { Config } from '../../config.ts'
import { isPublicAddress } from '../../net/connection/addresses.ts'
import {
  type AddressPolicy,
  addressesOf,
  type Resolve,
  withoutBrackets,
} from '../../net/connection/checked-connect.ts'
import { AddressRefused } from '../../net/transport/transport.ts'

export type TargetPolicy = {
  readonly allowed: Config['webhookAllowHosts']
  /** default: the system's resolver */
  readonly resolve?: Resolve | undefined
}

/** The allowed addresses of deliveries to a URL, checked for each connection. */
export function addressPolicy(url: URL, { allowed, resolve }: TargetPolicy): AddressPolicy {
  const isListed = (address: string) =>
    allowed.addresses.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  const isNamed = allowed.hosts.has(withoutBrackets(url.hostname))
  const isPlain = url.protocol === 'http:'
  return {
    allowsAddress: (address) => isNamed || isListed(address) || (!isPlain && isPublicAddress(address)),
    ...(resolve && { resolve }),
  }
}

/**
 * Checks a URL for an endpoint.
 *
 * @returns the problem, as a phrase that follows the field's name; undefined when the URL is currently valid
 */
export async function urlIssue(text: string, policy: TargetPolicy): Promise<string | undefined> {
  // The parser also repairs texts that are no URL, with line breaks for example.
  const url = /^https?:\/\/\S+$/i.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (!url) return 'must be an https URL'
  if (url.username || url.password)
    return 'must not have a user name or password; verify the signature of the deliveries instead'
  try {
    await addressesOf(url.hostname, addressPolicy(url, policy))
    return undefined
  } catch (error) {
    if (!(error instanceof AddressRefused)) return `has a host that cannot be resolved: ${url.hostname}`
  }
  if (url.protocol === 'http:') return 'must be an https URL; this service allows no plain http for this host'
  return 'must have a host whose addresses are all public; this service allows no others'
}
