/**
 * Connections to checked addresses. The DNS lookup that is checked is the one that the connection uses; no second
 * lookup happens. This prevents DNS rebinding.
 *
 * @module
 */
import type { LookupAddress } from 'node:dns'
import { lookup as ask } from 'node:dns/promises'
import { once } from 'node:events'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { versions } from 'node:process'
import { withTimeout } from '../../async/delay.ts'
import { AddressRefused } from '../transport/transport.ts'
import { isPublicAddress } from './addresses.ts'
import { Meter } from './meter.ts'

/** Resolves all addresses of a name. @throws when it has none, or the lookup fails */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>

export type AddressPolicy = {
  /** whether connections may go to an address; default {@link isPublicAddress} */
  readonly allowsAddress?: (address: string) => boolean
  /** default: the system's resolver */
  readonly resolve?: Resolve
}

/**
 * Asks the system's resolver. Not on Bun: there each lookup occupies one of the few threads that also sync files, so two
 * hosts whose name server does not answer would hold up every commit of the log for ten seconds. c-ares needs no thread
 * and reads the same files, `/etc/hosts` and `/etc/resolv.conf`.
 */
const resolveBySystem: Resolve = async (host) => {
  if (versions.bun === undefined) return ask(host, { all: true })
  const { dns } = await import('bun')
  return dns.lookup(host, { backend: 'c-ares' }).catch((cause) => {
    throw Object.assign(new Error(`${host} cannot be resolved`, { cause }), { code: 'ENOTFOUND' })
  })
}

/** Time limit for connecting, and for the lookup before it, in milliseconds. */
export const CONNECT_MS = 10_000
export const late = () => new Error('the connection timed out')

/**
 * The addresses of a host. A host that is an IP address is not looked up.
 *
 * @param host as in `URL.hostname`, or without brackets
 * @param limitMs time limit of the lookup, in milliseconds
 * @throws {AddressRefused} unless all of them are allowed
 * @throws the error of the lookup
 */
export async function addressesOf(
  host: string,
  { allowsAddress = isPublicAddress, resolve = resolveBySystem }: AddressPolicy,
  limitMs = CONNECT_MS,
): Promise<readonly [LookupAddress, ...LookupAddress[]]> {
  const bare = withoutBrackets(host)
  const family = isIP(bare)
  const addresses = () => withTimeout(limitMs, resolve(bare), late)
  const [first, ...others] = family === 0 ? await addresses() : [{ address: bare, family }]
  if (!first || ![first, ...others].every(({ address }) => allowsAddress(address)))
    throw new AddressRefused(host)
  return [first, ...others]
}

/** A host in the form that connections need: an IPv6 address without the brackets of a URL. */
export const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')

/**
 * Connects to a host.
 *
 * @param connectMs the time limit in milliseconds
 * @throws {AddressRefused}
 * @throws the error of the lookup or the connection
 */
export async function connectTo(
  host: string,
  port: number,
  policy: AddressPolicy,
  connectMs = CONNECT_MS,
): Promise<Socket> {
  const addresses = await addressesOf(host, policy, connectMs)
  const [{ address, family }] = addresses
  const lookup: LookupFunction = (_, { all }, done) =>
    all ? done(null, [...addresses]) : done(null, address, family)
  const socket = connect({ host: withoutBrackets(host), port, lookup })
  new Meter(socket)
  const giveUp = () => socket.destroy(late())
  socket.setTimeout(connectMs, giveUp)
  await once(socket, 'connect')
  // An agent sets timeouts of its own, for idle connections: they must not end a request that waits for its answer.
  return socket.setTimeout(0).off('timeout', giveUp)
}
