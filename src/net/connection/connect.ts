/**
 * Connections that go to an address that was checked: the look-up that a connection is made with is the one that is
 * judged, and there is no other. A name whose owner changes its answer in between opens nothing.
 *
 * @module
 */
import type { LookupAddress } from 'node:dns'
import { lookup as ask } from 'node:dns/promises'
import { once } from 'node:events'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { AddressRefused } from '../transport/transport.ts'
import { isPublicAddress } from './addresses.ts'

/** All addresses of a name. @throws when it has none, or nobody can say */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>

export type AddressPolicy = {
  /** whether connections may go to an address; default {@link isPublicAddress} */
  readonly allowsAddress?: (address: string) => boolean
  /** default: the system's */
  readonly resolve?: Resolve
}

/** Asks the resolver of the system. */
export const resolveBySystem: Resolve = (host) => ask(host, { all: true })

/** How long a connection may take to be made, in milliseconds. */
export const CONNECT_MS = 10_000

/**
 * For the option `lookup` of connections and requests: the addresses of a name, when all of them are allowed. A host that
 * is an address itself is not looked up: see {@link checkLiteral}.
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
 * Judges a host that is an address itself.
 *
 * @param host as in `URL.hostname`, or without brackets
 * @returns the host as connections want it, without brackets
 * @throws {AddressRefused}
 */
function checkLiteral(host: string, { allowsAddress = isPublicAddress }: AddressPolicy): string {
  const bare = withoutBrackets(host)
  if (isIP(bare) !== 0 && !allowsAddress(bare)) throw new AddressRefused(host)
  return bare
}

/** A host as connections want it: an IPv6 address without the brackets that it has in a URL. */
export const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')

/**
 * Connects to a host.
 *
 * @param connectMs how long it may take, in milliseconds
 * @throws {AddressRefused}
 * @throws what the look-up or the connection throws
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
