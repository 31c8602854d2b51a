/**
 * The transports to the network of this process, which keep connections over its runs.
 *
 * @module
 */

import type { Transport } from '../transport/transport.ts'
import type { ConnectionOptions } from './connections.ts'
import type { NetworkTransport } from './network-transport.ts'

const transports = new Map<string, Promise<NetworkTransport>>()

/**
 * The transport for a source's requests. Its modules are loaded at the first request: they take 7 MB, and many runs make
 * none.
 *
 * @param isReplaced its origin is replaced: the settings allow that one, wherever it is, and it is reached directly
 * @param proxyUrl PROXY_URL
 */
export function network(isReplaced: boolean, proxyUrl: string | null): Transport {
  const key = isReplaced ? 'replaced' : (proxyUrl ?? 'direct')
  return async (request) => {
    let transport = transports.get(key)
    if (!transport) {
      transport = load(isReplaced ? { proxyUrl: null, allowsAddress: () => true } : { proxyUrl })
      transports.set(key, transport)
    }
    return (await transport).send(request)
  }
}

async function load(options: ConnectionOptions): Promise<NetworkTransport> {
  const { NetworkTransport: Network } = await import('./network-transport.ts')
  return new Network(options)
}
