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
import { AddressRefused } from '../transport/transport.ts'
import { isPublicAddress } from './addresses.ts'

/** Resolves all addresses of a name. @throws when it has none, or the lookup fails */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>

export type AddressPolicy = {
  /** whether connections may go to an address; default {@link isPublicAddress} */
  readonly allowsAddress?: (address: string) => boolean
  /** default: the system's resolver */
  readonly resolve?: Resolve
}

/** Asks the system's resolver. */
export const resolveBySystem: Resolve = (host) => ask(host, { all: true })

/** Time limit for connecting, in milliseconds. */
export const CONNECT_MS = 10_000

/**
 * For the `lookup` option of connections and requests: resolves a name, and fails unless all of its addresses are
 * allowed. A host that is an IP address is not looked up: see {@link checkLiteral}.
 */
function lookupWithin({
  allowsAddress = isPublicAddress,
  resolve = resolveBySystem,
}: AddressPolicy): LookupFunction {
  const found = async (host: string) => {
    const addresses = await resolve(host)
    const [first] = addresses
    if (!first || !addresses.every(({ address }) => allowsAddress(address))) throw new AddressRefused(host)
    return { first, addresses: [...addresses] }
  }
  return (host, options, done) =>
    void found(host).then(
      ({ first, addresses }) =>
        options.all ? done(null, addresses) : done(null, first.address, first.family),
      (error) => done(error, '', 0),
    )
}

/**
 * Checks a host that is an IP address. Other hosts pass.
 *
 * @param host as in `URL.hostname`, or without brackets
 * @returns the host in the form that connections need, without brackets
 * @throws {AddressRefused}
 */
function checkLiteral(host: string, { allowsAddress = isPublicAddress }: AddressPolicy): string {
  const bare = withoutBrackets(host)
  if (isIP(bare) !== 0 && !allowsAddress(bare)) throw new AddressRefused(host)
  return bare
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
  const socket = connect({ host: checkLiteral(host, policy), port, lookup: lookupWithin(policy) })
  socket.setTimeout(connectMs, () => socket.destroy(new Error('the connection timed out')))
  await once(socket, 'connect')
  return socket.setTimeout(0)
}
